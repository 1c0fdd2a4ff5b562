/* Bodies and scenes for the engine's tests. */
#ifndef TESTS_SCENES_H
#define TESTS_SCENES_H

#include "tests/support/check.h"

#include <contact/contact.h>

static inline ct_text text_of(const char *s) { return (ct_text){s, strlen(s)}; }

static inline bool text_is(ct_text text, const char *s) {
  return text.length == strlen(s) && memcmp(text.bytes, s, text.length) == 0;
}

static inline ct_shape sphere_of(double radius) {
  return (ct_shape){.kind = CT_KIND_SPHERE, .sphere = {radius}};
}
static inline ct_shape box_of(double x, double y, double z) {
  return (ct_shape){.kind = CT_KIND_BOX, .box = {{x, y, z}}};
}
static inline ct_shape plane_of(void) { return (ct_shape){.kind = CT_KIND_PLANE}; }
static inline ct_shape capsule_of(double half, double radius) {
  return (ct_shape){.kind = CT_KIND_CAPSULE, .capsule = {half, radius, radius}};
}
/* A prism with a regular polygon as its cross-section; the caller releases it. */
static inline ct_shape prism_of(int sides, double radius, double half) {
  ct_vec3 points[400];
  for (int i = 0; i < sides; i++)
    for (int k = 0; k < 2; k++)
      points[2 * i + k] = ct_vec(radius * cos(2.0 * acos(-1.0) * i / sides),
                                 radius * sin(2.0 * acos(-1.0) * i / sides), k ? half : -half);
  ct_hull *hull = NULL;
  CHECK_INT(ct_hull_from_points(points, 2 * (size_t)sides, NULL, &hull, NULL), CT_OK);
  return (ct_shape){.kind = CT_KIND_CONVEX, .hull = hull};
}

static inline ct_pose pose_at(double x, double y, double z) {
  return (ct_pose){{x, y, z}, {0.0, 0.0, 0.0, 1.0}};
}

/* A body of several shapes with one pose each. poses NULL: all at the origin. The caller owns the
 * reference. */
static inline const ct_body *body_of(const char *id, const ct_shape *shapes, const ct_pose *poses,
                                     size_t count, const char *group) {
  ct_collider colliders[16] = {{.shape = {.kind = CT_KIND_SPHERE}}};
  if (count > 16) count = 16;
  for (size_t i = 0; i < count; i++)
    colliders[i] = (ct_collider){.shape = shapes[i], .pose = poses ? poses[i] : ct_pose_identity()};
  ct_text groups[1] = {group ? text_of(group) : (ct_text){NULL, 0}};
  ct_body_options options = {.id = text_of(id),
                             .colliders = colliders,
                             .collider_count = count,
                             .groups = groups,
                             .group_count = group != NULL};
  const ct_body *body = NULL;
  CHECK_INT(ct_body_create(&options, &body), CT_OK);
  return body;
}

/* Adds a body and releases the caller's reference. */
static inline uint32_t add_body(ct_draft *draft, const ct_body *body, ct_pose pose) {
  uint32_t row = CT_NO_ROW;
  CHECK_INT(ct_draft_insert(draft, body, &pose, NULL, &row), CT_OK);
  ct_body_release(body);
  return row;
}

static inline uint32_t add_shape(ct_draft *draft, const char *id, ct_shape shape, ct_pose pose) {
  return add_body(draft, body_of(id, &shape, NULL, 1, NULL), pose);
}

/* Seals the draft; the base is released. */
static inline const ct_scene *seal(ct_draft *draft, const ct_scene *base) {
  const ct_scene *scene = ct_draft_seal(draft);
  CHECK(scene != NULL);
  ct_scene_release(base);
  return scene;
}

static inline ct_quat random_rotation(check_random *r) {
  ct_quat q = {check_uniform(r, -1, 1), check_uniform(r, -1, 1), check_uniform(r, -1, 1),
               check_uniform(r, -1, 1)};
  double n = sqrt(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
  return n > 0.1 ? (ct_quat){q.x / n, q.y / n, q.z / n, q.w / n} : ct_quat_identity();
}

/* A random position in the cube from the origin, and a random rotation. */
static inline ct_pose random_pose(check_random *r, double side) {
  double x = check_uniform(r, 0, side), y = check_uniform(r, 0, side),
         z = check_uniform(r, 0, side);
  return (ct_pose){{x, y, z}, random_rotation(r)};
}

/* ---- queries for pairs, overlaps and distances ----------------------------------------------- */

/* A hit of any of these queries; pairs have no colliders and no result. */
typedef struct kind_hit {
  uint32_t a, b, collider_a, collider_b;
  bool overlap;
  ct_pair_result result;
  size_t item;
} kind_hit;

typedef bool (*kind_sink)(void *context, const kind_hit *hit);

typedef struct kind_report {
  kind_sink sink;
  void *context;
} kind_report;

static inline bool report_pair_hit(void *context, const ct_pair_hit *hit) {
  kind_report *report = context;
  kind_hit one = {.a = hit->a, .b = hit->b, .overlap = hit->overlap, .item = hit->position.item};
  return report->sink(report->context, &one);
}

static inline bool report_overlap_hit(void *context, const ct_overlap_hit *hit) {
  kind_report *report = context;
  kind_hit one = {hit->a,       hit->b,      hit->collider_a,   hit->collider_b,
                  hit->overlap, hit->result, hit->position.item};
  return report->sink(report->context, &one);
}

static inline bool report_distance_hit(void *context, const ct_distance_hit *hit) {
  kind_report *report = context;
  kind_hit one = {hit->a,       hit->b,      hit->collider_a,   hit->collider_b,
                  hit->overlap, hit->result, hit->position.item};
  return report->sink(report->context, &one);
}

static inline ct_status prepare_kind(const ct_scene *scene, ct_query_kind kind,
                                     const ct_query_options *options, ct_query **out) {
  if (kind == CT_QUERY_PAIRS) return ct_query_prepare_pairs(scene, options, NULL, out);
  if (kind == CT_QUERY_OVERLAP) return ct_query_prepare_overlaps(scene, options, NULL, out);
  return ct_query_prepare_distances(scene, options, NULL, out);
}

/* Runs a range of a query that prepare_kind has prepared. */
static inline ct_status run_kind(const ct_query *query, ct_query_kind kind, ct_query_range range,
                                 ct_workspace *workspace, kind_report report,
                                 ct_range_statistics *statistics) {
  if (kind == CT_QUERY_PAIRS)
    return ct_query_run_pairs(query, &range, report_pair_hit, &report, statistics);
  if (kind == CT_QUERY_OVERLAP)
    return ct_query_run_overlaps(query, &range, workspace, report_overlap_hit, &report, statistics);
  return ct_query_run_distances(query, &range, workspace, report_distance_hit, &report, statistics);
}

/* The number of hits, and a checksum of their rows in order. */
typedef struct pair_log {
  uint64_t sum;
  size_t count;
} pair_log;

static inline bool log_pair(void *context, const kind_hit *hit) {
  pair_log *log = context;
  log->sum = log->sum * 6364136223846793005u + ((uint64_t)hit->a << 32 | hit->b) + 1;
  log->count++;
  return true;
}

/* All pairs of the scene that this kind of query finds. */
static inline pair_log log_pairs(const ct_scene *scene, ct_query_kind kind,
                                 ct_broadphase broadphase) {
  ct_query_options options = {.broadphase = broadphase};
  ct_query *query = NULL;
  pair_log log = {0, 0};
  ct_workspace *own = ct_workspace_create();
  CHECK_INT(prepare_kind(scene, kind, &options, &query), CT_OK);
  CHECK_INT(run_kind(query, kind, (ct_query_range){0, ct_query_items(query), CT_NO_ROW, 0}, own,
                     (kind_report){log_pair, &log}, NULL),
            CT_OK);
  ct_query_destroy(query);
  ct_workspace_destroy(own);
  return log;
}

#endif
