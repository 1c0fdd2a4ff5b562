/* Evaluation of all pairs of colliders of two bodies: manifolds, volumetric contacts and features.
 *
 * Colliders are visited in order (ct_body_pair_visit). Each result is one hit; hits before `part`
 * are counted but not reported, so that a page can resume within a pair of bodies. An explicit pair
 * without a contact has one hit with the distance of its bodies.
 */
#include "pair/pair_order.h"
#include "query/query.h"

#include <assert.h>

/* Flags that make a pair of colliders without a volumetric contact a hit nevertheless. */
#define REPORTED_FLAGS (CT_VOLUME_FLAG_ILL_CONDITIONED | CT_VOLUME_FLAG_GEOMETRIC_FAILURE)

/* Counts a hit. Returns true if it must be reported: it is not among the `part` hits to skip. */
static bool count_collider_hit(ct_body_pair_run *run) {
  run->position.part++;
  return run->position.part > run->part && !run->stopped;
}

/* Returns the status after a pair was evaluated: a cancelled evaluation of large shapes returns
 * CT_OK with an incomplete result. */
static ct_status check_evaluation(const ct_body_pair *pair) {
  bool out_of_memory = ct_workspace_out_of_memory(pair->workspace);
  if (ct_cancel_raised(pair->cancel)) return CT_CANCELLED;
  return out_of_memory ? CT_OUT_OF_MEMORY : CT_OK;
}

/* Computes the distance of the bodies without a limit. *found: both bodies have colliders. */
static ct_status measure_bodies(const ct_body_pair_run *run, ct_distance_hit *hit, bool *found) {
  ct_body_pair unlimited = *run->pair;
  unlimited.limit = INFINITY;
  return ct_body_pair_distance(&unlimited, hit, found);
}

/* ---- contacts ------------------------------------------------------------------------------- */

typedef struct contact_visit {
  ct_body_pair_run *run;
  ct_detail detail;
  ct_contacts_sink sink;
} contact_visit;

static void report_contacts(contact_visit *v, const ct_contacts_hit *found) {
  ct_body_pair_run *run = v->run;
  if (!count_collider_hit(run)) return;
  ct_contacts_hit hit = *found;
  hit.a = run->a;
  hit.b = run->b;
  hit.position = run->position;
  if (!v->sink(run->context, &hit)) run->stopped = true;
}

static ct_status visit_contacts(void *context, uint32_t a, uint32_t b) {
  contact_visit *v = context;
  const ct_body_pair *pair = v->run->pair;
  if (v->run->stopped) return CT_OK;
  ct_contact_options options = {pair->limit, pair->tolerance, v->detail};
  ct_manifold manifold;
  ct_pair_contacts(ct_placed_collider(pair->a, a), ct_placed_collider(pair->b, b), &options,
                   pair->workspace, &manifold);
  ct_status status = check_evaluation(pair);
  if (status != CT_OK) return status;
  const ct_pair_result *r = &manifold.pair;
  bool near =
      r->status == CT_PAIR_UNSUPPORTED ? r->relation != CT_SEPARATED : r->distance <= pair->limit;
  if (near)
    report_contacts(v, &(ct_contacts_hit){.collider_a = a,
                                          .collider_b = b,
                                          .overlap = r->distance <= 0.0,
                                          .result = *r,
                                          .points = manifold.points,
                                          .point_count = manifold.count});
  return CT_OK;
}

ct_status ct_body_pair_contacts(ct_body_pair_run *run, ct_detail detail, ct_contacts_sink sink) {
  contact_visit v = {run, detail, sink};
  assert(run->position.part == 0 && !run->stopped);
  ct_status status = ct_body_pair_visit(run->pair, visit_contacts, &v);
  if (status != CT_OK || !run->all || run->position.part > 0) return status;
  ct_distance_hit nearest;
  bool found;
  status = measure_bodies(run, &nearest, &found);
  if (status == CT_OK && found)
    report_contacts(&v, &(ct_contacts_hit){.collider_a = nearest.collider_a,
                                           .collider_b = nearest.collider_b,
                                           .overlap = nearest.overlap,
                                           .result = nearest.result});
  return status;
}

/* ---- volumes -------------------------------------------------------------------------------- */

typedef struct volume_visit {
  ct_body_pair_run *run;
  const ct_volume_options *options;
  ct_volume_sink sink;
} volume_visit;

static void report_volume(volume_visit *v, ct_volume_hit *hit) {
  ct_body_pair_run *run = v->run;
  if (!count_collider_hit(run)) return;
  hit->a = run->a;
  hit->b = run->b;
  hit->position = run->position;
  if (!v->sink(run->context, hit)) run->stopped = true;
}

/* True if one body is inside the other although no contact was found: by the method's relation,
 * among elements without a boundary face, or because the volume of the intersection is below
 * round-off. */
static bool is_contained_element(const ct_body_pair *pair, ct_placed a, ct_placed b) {
  if (!ct_kind_has_elements(a.shape->kind) && !ct_kind_has_elements(b.shape->kind)) return false;
  const ct_pair_options options = {.threshold = 0.0};
  ct_pair_result r;
  ct_pair_distance_within(a, b, &options, pair->workspace, &r);
  return r.relation == CT_CONTAINING || r.relation == CT_CONTAINED;
}

/* Decides whether a pair of colliders without a contact is a hit, and reports it if so. */
static ct_status report_missing_contact(volume_visit *v, const ct_placed placed[2],
                                        const ct_volume *volume, ct_volume_hit *hit) {
  const ct_body_pair *pair = v->run->pair;
  uint32_t flags = volume->flags & REPORTED_FLAGS;
  bool reported = flags != 0;
  if (volume->status == CT_PAIR_UNSUPPORTED)
    reported = ct_pair_overlap(placed[0], placed[1], pair->workspace, NULL);
  else if (!reported) reported = is_contained_element(pair, placed[0], placed[1]);
  ct_status status = check_evaluation(pair);
  if (status != CT_OK || !reported) return status;
  bool failed = flags || (volume->status == CT_PAIR_OK && v->options->method != CT_VOLUME_SOLFEC);
  hit->flags = flags;
  hit->result = (ct_pair_result){.status = failed ? CT_PAIR_DEGENERATE : CT_PAIR_UNSUPPORTED,
                                 .relation = CT_PENETRATING,
                                 .triangle_a = CT_NO_TRIANGLE,
                                 .triangle_b = CT_NO_TRIANGLE};
  report_volume(v, hit);
  return CT_OK;
}

static ct_volume_poses get_volume_poses(const ct_placed_body *placed, uint32_t collider) {
  return (ct_volume_poses){placed->pose, ct_body_shape_pose(placed->body, collider)};
}

static ct_status visit_volume(void *context, uint32_t a, uint32_t b) {
  volume_visit *v = context;
  const ct_body_pair *pair = v->run->pair;
  if (v->run->stopped) return CT_OK;
  const ct_placed placed[2] = {ct_placed_collider(pair->a, a), ct_placed_collider(pair->b, b)};
  /* Evaluate the pair of colliders. */
  ct_volume volume;
  ct_volume_options options = *v->options;
  options.poses_a = get_volume_poses(pair->a, a);
  options.poses_b = get_volume_poses(pair->b, b);
  ct_pair_volume(placed[0], placed[1], &options, pair->workspace, &volume);
  ct_status status = check_evaluation(pair);
  if (status == CT_OK && volume.failed) status = CT_OUT_OF_MEMORY;
  if (status != CT_OK) return status;
  /* Report each contact, or the pair without one. */
  ct_volume_hit hit = {.collider_a = a, .collider_b = b, .overlap = true};
  if (volume.count == 0) return report_missing_contact(v, placed, &volume, &hit);
  ct_volume_total total;
  hit.list = &volume;
  hit.total = ct_volume_add_up(&volume, &total) ? &total : NULL;
  for (size_t i = 0; i < volume.count && !v->run->stopped; i++) {
    hit.contact = &volume.contacts[i];
    hit.triangles = volume.triangles + volume.contacts[i].first_triangle;
    report_volume(v, &hit);
  }
  return CT_OK;
}

ct_status ct_body_pair_volumes(ct_body_pair_run *run, const ct_volume_options *options,
                               ct_volume_sink sink) {
  volume_visit v = {run, options, sink};
  assert(run->position.part == 0 && !run->stopped);
  ct_status status = ct_body_pair_visit(run->pair, visit_volume, &v);
  if (status != CT_OK || !run->all || run->position.part > 0) return status;
  ct_distance_hit nearest;
  bool found;
  status = measure_bodies(run, &nearest, &found);
  if (status != CT_OK || !found) return status;
  bool touching = nearest.result.distance <= 0.0;
  report_volume(&v, &(ct_volume_hit){.collider_a = nearest.collider_a,
                                     .collider_b = nearest.collider_b,
                                     .result = nearest.result,
                                     .flags = touching ? CT_VOLUME_FLAG_TOUCHING_ONLY : 0});
  return CT_OK;
}

/* ---- features ------------------------------------------------------------------------------- */

typedef struct feature_visit {
  ct_body_pair_run *run;
  const ct_features_options *options;
  ct_feature_sink sink;
  uint64_t *doubled;
} feature_visit;

static void report_feature(feature_visit *v, ct_feature_hit *hit) {
  ct_body_pair_run *run = v->run;
  if (!count_collider_hit(run)) return;
  hit->position = run->position;
  if (!v->sink(run->context, hit)) run->stopped = true;
}

static ct_status visit_features(void *context, uint32_t a, uint32_t b) {
  feature_visit *v = context;
  ct_body_pair_run *run = v->run;
  const ct_body_pair *pair = run->pair;
  ct_placed placed_a = ct_placed_collider(pair->a, a), placed_b = ct_placed_collider(pair->b, b);
  if (run->stopped || !ct_features_are_supported(placed_a.shape) ||
      !ct_features_are_supported(placed_b.shape))
    return CT_OK;
  ct_features features;
  ct_pair_features(placed_a, placed_b, v->options, pair->workspace, &features);
  ct_status status = check_evaluation(pair);
  if (status == CT_OK && features.status == CT_FEATURES_OUT_OF_MEMORY) status = CT_OUT_OF_MEMORY;
  if (status != CT_OK) return status;
  *v->doubled += features.doubled;
  ct_feature_hit hit = {
      .a = run->a, .b = run->b, .collider_a = a, .collider_b = b, .status = features.status};
  if (features.status != CT_FEATURES_OK) report_feature(v, &hit);
  for (size_t i = 0; i < features.count && !run->stopped; i++) {
    hit.feature = &features.items[i];
    report_feature(v, &hit);
  }
  return CT_OK;
}

ct_status ct_body_pair_features(ct_body_pair_run *run, const ct_features_options *options,
                                ct_feature_sink sink, uint64_t *doubled) {
  feature_visit v = {run, options, sink, doubled};
  assert(run->position.part == 0 && !run->stopped);
  return ct_body_pair_visit(run->pair, visit_features, &v);
}
