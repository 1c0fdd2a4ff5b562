/* Durable writes: the record of a call's write, and its way to the store.
 *
 * The thread that finishes the call creates the record. The loop thread submits it, and commits the
 * result once the store has acknowledged it. */
#ifndef SRV_SCENES_DURABLE_WRITE_H
#define SRV_SCENES_DURABLE_WRITE_H

#include "state/request.h"

typedef struct srv_durable srv_durable;

/* Creates the record of the call's write in request->durable, if the call writes. Precondition: the
 * server has a store. Runs on the thread that finished the call. */
void srv_durable_record(srv_request *request);

typedef enum srv_durable_outcome {
  SRV_DURABLE_NOTHING, /* the call writes nothing to the store */
  SRV_DURABLE_WAITS,   /* the store has the write; the handler `resume` will be called */
  SRV_DURABLE_REFUSED  /* a refusal is the reply */
} srv_durable_outcome;

/* Submits the call's write to the server's store. Loop thread only, as are the functions below. */
srv_durable_outcome srv_durable_submit(srv_request *request);
/* Records that the committed revision is stored, and starts a compaction if one is due. */
void srv_durable_committed(srv_request *request);
/* Makes the table of posted shapes that the call created current. */
void srv_durable_commit_shapes(srv_request *request);
/* Frees a durable write; NULL is allowed. */
void srv_durable_free(srv_durable *durable);

/* ---- compaction.c --------------------------------------------------------------------------- */

/* Counts one more record of the scene in the store, `base` or change, and starts a compaction if
 * one is due. */
void srv_compaction_note_record(srv_server *server, srv_entry *entry, bool base, uint64_t bytes);

#endif
