/* Volumetric contacts of two bodies: one hit for each contact of each pair of colliders. */
#include "pair/pair_order.h"
#include "query/query.h"

/* Reasons for which a pair without a contact is reported all the same. */
#define TOLD_FLAGS (CT_VOLUME_FLAG_ILL_CONDITIONED | CT_VOLUME_FLAG_GEOMETRIC_FAILURE)

typedef struct volume_run {
  const ct_body_pair *pair;
  const ct_volume_options *options;
  const ct_contact_walk *walk;
  ct_hit hit;
  uint32_t found;
  bool stopped;
} volume_run;

static void give(volume_run *run) {
  run->found++;
  run->hit.part = run->found;
  if (run->found > run->walk->part && !run->stopped &&
      !run->walk->sink(run->walk->context, &run->hit))
    run->stopped = true;
}

/* Is one body inside the other all the same? By the seed's rule, among elements without an outer
 * face; or too small to tell. */
static bool is_hidden(const volume_run *run, ct_placed a, ct_placed b) {
  if (!ct_kind_has_elements(a.shape->kind) && !ct_kind_has_elements(b.shape->kind)) return false;
  const ct_pair_options options = {.threshold = 0.0};
  ct_pair_result r;
  ct_pair_distance_within(a, b, &options, run->pair->workspace, &r);
  return r.relation == CT_CONTAINING || r.relation == CT_CONTAINED;
}

/* A pair of colliders that overlap and have no contact that can be reported. */
static void give_bare(volume_run *run, const ct_volume *volume) {
  bool failed = volume->flags & TOLD_FLAGS ||
                (volume->status == CT_PAIR_OK && run->options->method != CT_VOLUME_SOLFEC);
  run->hit.volume = NULL;
  run->hit.volume_flags = volume->flags & TOLD_FLAGS;
  run->hit.result = (ct_pair_result){.status = failed ? CT_PAIR_DEGENERATE : CT_PAIR_UNSUPPORTED,
                                     .relation = CT_PENETRATING,
                                     .triangle_a = CT_NO_TRIANGLE,
                                     .triangle_b = CT_NO_TRIANGLE};
  give(run);
}

static ct_volume_poses poses_of(const ct_placed_body *placed, uint32_t collider) {
  return (ct_volume_poses){placed->pose, ct_body_shape_pose(placed->body, collider)};
}

static ct_status visit(void *context, uint32_t a, uint32_t b) {
  volume_run *run = context;
  const ct_body_pair *pair = run->pair;
  if (run->stopped) return CT_OK;
  const ct_placed placed_a = ct_placed_collider(pair->a, a),
                  placed_b = ct_placed_collider(pair->b, b);
  ct_volume volume;
  ct_volume_options options = *run->options;
  options.poses_a = poses_of(pair->a, a);
  options.poses_b = poses_of(pair->b, b);
  ct_pair_volume(placed_a, placed_b, &options, pair->workspace, &volume);
  bool out_of_memory = ct_workspace_out_of_memory(pair->workspace) || volume.failed;
  /* A large pair may have been cut short. */
  if (ct_cancel_raised(pair->cancel)) return CT_CANCELLED;
  if (out_of_memory) return CT_OUT_OF_MEMORY;
  ct_volume_total total;
  run->hit.collider_a = a;
  run->hit.collider_b = b;
  run->hit.volume_list = &volume;
  run->hit.total = ct_volume_add_up(&volume, &total) ? &total : NULL;
  for (size_t i = 0; i < volume.count && !run->stopped; i++) {
    run->hit.volume = &volume.contacts[i];
    run->hit.triangles = volume.triangles + volume.contacts[i].first_triangle;
    give(run);
  }
  run->hit.volume_list = NULL;
  run->hit.total = NULL;
  if (volume.count > 0) return CT_OK;
  bool reported = volume.flags & TOLD_FLAGS;
  if (volume.status == CT_PAIR_UNSUPPORTED)
    reported = ct_pair_overlap(placed_a, placed_b, pair->workspace, NULL);
  else if (!reported) reported = is_hidden(run, placed_a, placed_b);
  out_of_memory = ct_workspace_out_of_memory(pair->workspace);
  if (ct_cancel_raised(pair->cancel)) return CT_CANCELLED;
  if (out_of_memory) return CT_OUT_OF_MEMORY;
  if (reported) give_bare(run, &volume);
  return CT_OK;
}

/* An explicit pair without a contact: how far apart the bodies are. */
static ct_status give_apart(volume_run *run) {
  ct_body_pair far = *run->pair;
  far.limit = INFINITY;
  bool any;
  ct_status status = ct_body_pair_distance(&far, &run->hit, &any);
  if (status != CT_OK || !any) return status;
  run->hit.volume = NULL;
  run->hit.volume_flags = run->hit.result.distance <= 0.0 ? CT_VOLUME_FLAG_TOUCHING_ONLY : 0;
  run->hit.overlap = false;
  give(run);
  return CT_OK;
}

ct_status ct_body_pair_volume(const ct_body_pair *pair, const ct_volume_options *options,
                              const ct_contact_walk *walk, const ct_hit *hit, bool *stopped) {
  volume_run run = {.pair = pair, .options = options, .walk = walk, .hit = *hit};
  run.hit.overlap = true;
  ct_status status = ct_body_pair_visit(pair, visit, &run);
  if (status == CT_OK && walk->all && run.found == 0) status = give_apart(&run);
  *stopped = run.stopped;
  return status;
}
