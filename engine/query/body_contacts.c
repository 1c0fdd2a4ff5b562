/* Contacts of two bodies: one hit for each pair of colliders that is near enough. */
#include "query/query.h"

typedef struct contact_run {
  const ct_body_pair *pair;
  const ct_contact_walk *walk;
  ct_hit hit;
  uint32_t found;
  bool stopped;
} contact_run;

static void give(contact_run *run) {
  run->hit.part = run->found;
  if (run->found > run->walk->part && !run->walk->sink(run->walk->context, &run->hit))
    run->stopped = true;
}

static ct_status visit(void *context, uint32_t a, uint32_t b) {
  contact_run *run = context;
  const ct_body_pair *pair = run->pair;
  if (run->stopped) return CT_OK;
  ct_contact_options options = {pair->limit, pair->tolerance, run->walk->detail};
  ct_manifold manifold;
  ct_pair_contacts(ct_placed_collider(pair->a, a), ct_placed_collider(pair->b, b), &options,
                   pair->workspace, &manifold);
  bool out_of_memory = ct_workspace_out_of_memory(pair->workspace);
  /* A large pair may have been cut short. */
  if (ct_cancel_raised(pair->cancel)) return CT_CANCELLED;
  if (out_of_memory) return CT_OUT_OF_MEMORY;
  const ct_pair_result *r = &manifold.pair;
  bool near =
      r->status == CT_PAIR_UNSUPPORTED ? r->relation != CT_SEPARATED : r->distance <= pair->limit;
  if (!near) return CT_OK;
  run->found++;
  run->hit.collider_a = a;
  run->hit.collider_b = b;
  run->hit.overlap = r->distance <= 0.0;
  run->hit.result = *r;
  run->hit.points = manifold.points;
  run->hit.point_count = manifold.count;
  give(run);
  return CT_OK;
}

ct_status ct_body_pair_contacts(const ct_body_pair *pair, const ct_contact_walk *walk,
                                const ct_hit *hit, bool *stopped) {
  contact_run run = {.pair = pair, .walk = walk, .hit = *hit};
  ct_status status = ct_body_pair_visit(pair, visit, &run);
  if (status == CT_OK && walk->all && run.found == 0) {
    ct_body_pair far = *pair;
    far.limit = INFINITY;
    bool any;
    status = ct_body_pair_distance(&far, &run.hit, &any);
    run.found = any;
    if (status == CT_OK && any) give(&run);
  }
  *stopped = run.stopped;
  return status;
}
