/* What a call has written on its way to the store: the record is made where the call ended, the loop thread hands it over, and the
 * result is committed when the store has it. Without a store nothing here does anything. */
#ifndef SRV_SCENES_DURABLE_WRITE_H
#define SRV_SCENES_DURABLE_WRITE_H

#include "state/request.h"

typedef struct srv_durable srv_durable;

/* Makes the record of what the call has written, if it has. The thread that finished the call. */
void srv_durable_record(srv_request *request);

typedef enum srv_durable_outcome {
  SRV_DURABLE_NOTHING, /* nothing is to be kept */
  SRV_DURABLE_WAITS,   /* srv_job_stored will be called */
  SRV_DURABLE_REFUSED  /* the refusal is the reply */
} srv_durable_outcome;

/* Hands over what the call has written. Loop thread, as the rest. */
srv_durable_outcome srv_durable_submit(srv_request *request);
/* A scene's revision has become current: what the store has of it is noted, and records are folded where they are many. */
void srv_durable_committed(srv_request *request);
/* The table of posted shapes that the call made becomes current. */
void srv_durable_commit_shapes(srv_request *request);
/* NULL is allowed. */
void srv_durable_free(srv_durable *durable);

/* A turn among the writes of shapes: `begin` is called, at once or later, and srv_shape_turn_release ends it. */
typedef struct srv_shape_turn {
  struct srv_shape_turn *next;
  void (*begin)(struct srv_shape_turn *turn);
} srv_shape_turn;

void srv_shape_turn_acquire(srv_server *server, srv_shape_turn *turn);
void srv_shape_turn_release(srv_server *server);

/* ---- compaction.c ---- */

/* The store has one record more of the scene. */
void srv_compaction_note_record(srv_server *server, srv_entry *entry, bool base, uint64_t bytes);

#endif
