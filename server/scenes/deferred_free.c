/* Revisions that nobody on the loop thread wants any more: freeing a large one takes long, so a worker lets go of it. Whether the
 * reference is the last one is not known here; if it is not, the worker has little to do. */
#include "state/request.h"

#include <stdlib.h>

typedef struct trash {
  srv_job job; /* first: the pool's view */
  srv_server *server;
  const ct_scene *scene;
  bool taken;
} trash;

static long take(srv_job *job) {
  trash *t = (trash *)job;
  if (t->taken) return SRV_NO_PIECE;
  t->taken = true;
  return 0;
}

static void run(srv_job *job, long piece, api_scratch *scratch) {
  (void)piece;
  (void)scratch;
  ct_scene_release(((trash *)job)->scene);
}

static void done(srv_job *job, long piece) {
  trash *t = (trash *)job;
  (void)piece;
  srv_pool_withdraw(t->server->pool, job);
  free(t);
}

void srv_free_scene_later(void *cls, const ct_scene *scene) {
  srv_server *server = cls;
  trash *t = ct_scene_count(scene) > SRV_DEFER_BODIES ? calloc(1, sizeof *t) : NULL;
  /* Out of memory: late is better than never. */
  if (!t) {
    ct_scene_release(scene);
    return;
  }
  *t = (trash){.job = {.take = take, .run = run, .done = done}, .server = server, .scene = scene};
  srv_pool_submit(server->pool, &t->job, &server->stateless, false);
  srv_pool_pump(server->pool);
}
