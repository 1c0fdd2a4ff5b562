/* Durable writes: the record of a call's write on its way to the store.
 *
 * The thread that finishes the call creates the record. The loop thread submits it, and commits the
 * result after the store's acknowledgement. */
#ifndef SRV_SCENES_DURABLE_WRITE_H
#define SRV_SCENES_DURABLE_WRITE_H

#include "state/request.h"

typedef struct srv_durable srv_durable;

/* Creates the record of the call's write, if any. The server has a store. Runs on the thread that
 * finished the call. */
void srv_durable_record(srv_request *request);

typedef enum srv_durable_outcome {
  SRV_DURABLE_NOTHING, /* nothing to write */
  SRV_DURABLE_WAITS,   /* the handler `resume` will be called */
  SRV_DURABLE_REFUSED  /* the refusal is the reply */
} srv_durable_outcome;

/* Submits the call's write to the server's store. Loop thread, like the functions below. */
srv_durable_outcome srv_durable_submit(srv_request *request);
/* Notes the committed revision as stored, and starts a compaction if the scene has many changes. */
void srv_durable_committed(srv_request *request);
/* Makes the call's table of posted shapes current. */
void srv_durable_commit_shapes(srv_request *request);
/* NULL is allowed. */
void srv_durable_free(srv_durable *durable);

/* ---- compaction.c --------------------------------------------------------------------------- */

/* Counts one more record of the scene in the store; starts a compaction if due. */
void srv_compaction_note_record(srv_server *server, srv_entry *entry, bool base, uint64_t bytes);

#endif
