/* Deferred free: a worker releases references to large revisions, because freeing one takes long.
 *
 * Whether the reference is the last one is not known here; if it is not, the worker only decrements
 * a counter. */
#include "state/server.h"

#include <stdlib.h>

typedef struct deferred_free {
  srv_job job; /* must be first: the pool gets this address */
  srv_server *server;
  const ct_scene *scene;
} deferred_free;

static void run_deferred_free(srv_job *job, long piece, api_scratch *scratch) {
  (void)piece;
  (void)scratch;
  ct_scene_release(((deferred_free *)job)->scene);
}

static void on_deferred_free_done(srv_job *job, long piece) {
  deferred_free *deferred = (deferred_free *)job;
  (void)piece;
  srv_pool_withdraw(deferred->server->pool, job);
  free(deferred);
}

void srv_free_scene_later(void *cls, const ct_scene *scene) {
  srv_server *server = cls;
  deferred_free *deferred =
      ct_scene_count(scene) > SRV_DEFER_BODIES ? calloc(1, sizeof *deferred) : NULL;
  /* small scene, or out of memory: release the reference here */
  if (!deferred) {
    ct_scene_release(scene);
    return;
  }
  *deferred = (deferred_free){.job = {.run = run_deferred_free, .done = on_deferred_free_done},
                              .server = server,
                              .scene = scene};
  srv_pool_submit_release(server->pool, &deferred->job);
  srv_pool_pump(server->pool);
}
