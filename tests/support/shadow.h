/* A daemon and its shadow, a second daemon that is built from records alone. Both scenes are
 * compared: the document of a GET, poses and velocities by their bits, rows, serials, numbers, and
 * the contents of contact states. */
#ifndef TESTS_SHADOW_H
#define TESTS_SHADOW_H

#include <api/record.h>
#include <contact/restore.h>

#include "tests/support/api_rig.h"

/* ---- the same scene ------------------------------------------------------------------------- */

static inline bool same_bits(const void *a, const void *b, size_t bytes) {
  return memcmp(a, b, bytes) == 0;
}

static inline bool same_text(ct_text a, ct_text b) {
  return a.length == b.length && (!a.length || same_bits(a.bytes, b.bytes, a.length));
}

static inline void check_collider(ct_collider a, ct_collider b) {
  CHECK(same_text(a.id, b.id) && same_text(a.note, b.note) && same_text(a.material, b.material));
  CHECK(same_bits(&a.pose, &b.pose, sizeof a.pose));
  CHECK(a.shape.kind == b.shape.kind && a.shape.inset == b.shape.inset);
  CHECK(same_bits(&a.shape.rounding, &b.shape.rounding, sizeof(double)) &&
        same_bits(&a.shape.margin, &b.shape.margin, sizeof(double)));
  const ct_frame frame = ct_frame_of(ct_pose_identity());
  ct_aabb box_a = ct_shape_aabb(&a.shape, &frame), box_b = ct_shape_aabb(&b.shape, &frame);
  CHECK(same_bits(&box_a, &box_b, sizeof box_a));
  ct_mass_properties mass_a = {0}, mass_b = {0};
  CHECK(ct_shape_mass(&a.shape, 1.0, &mass_a) == ct_shape_mass(&b.shape, 1.0, &mass_b));
  CHECK(same_bits(&mass_a, &mass_b, sizeof mass_a));
  const uint32_t *ids_a = a.shape.surface_ids, *ids_b = b.shape.surface_ids;
  CHECK((ids_a == NULL) == (ids_b == NULL));
  CHECK(!ids_a || !ids_b ||
        same_bits(ids_a, ids_b, ct_kind_surface_count(a.shape.kind) * sizeof *ids_a));
}

static inline void check_body(const ct_body *a, const ct_body *b) {
  if (a == b) return;
  if (!a || !b) {
    CHECK_FAIL("one row has a body, and the other none");
    return;
  }
  CHECK(same_text(ct_body_id(a), ct_body_id(b)) && same_text(ct_body_user(a), ct_body_user(b)));
  CHECK_INT(ct_body_collider_count(a), ct_body_collider_count(b));
  CHECK_INT(ct_body_group_count(a), ct_body_group_count(b));
  for (size_t i = 0; i < ct_body_collider_count(a) && i < ct_body_collider_count(b); i++)
    check_collider(ct_body_collider(a, i), ct_body_collider(b, i));
}

static inline void check_rows(const ct_scene *a, const ct_scene *b) {
  for (uint32_t row = 0; row < ct_scene_rows(a) && row < ct_scene_rows(b); row++) {
    check_body(ct_scene_body(a, row), ct_scene_body(b, row));
    if (!ct_scene_body(a, row)) continue;
    const ct_pose pose_a = ct_scene_pose(a, row), pose_b = ct_scene_pose(b, row);
    const ct_velocity velocity_a = ct_scene_velocity(a, row),
                      velocity_b = ct_scene_velocity(b, row);
    CHECK(same_bits(&pose_a, &pose_b, sizeof pose_a));
    CHECK(same_bits(&velocity_a, &velocity_b, sizeof velocity_a));
    CHECK_INT(ct_scene_serial(a, row), ct_scene_serial(b, row));
  }
}

static inline void check_state(const ct_contact_state *a, const ct_contact_state *b) {
  const ct_contact_state_data x = ct_contact_state_save(a), y = ct_contact_state_save(b);
  CHECK(same_bits(&x.time, &y.time, sizeof x.time) &&
        same_bits(&x.epsilon, &y.epsilon, sizeof x.epsilon));
  CHECK(x.method == y.method && same_bits(&x.mpr.tolerance, &y.mpr.tolerance, sizeof(double)));
  CHECK_INT(x.mpr.iterations_max, y.mpr.iterations_max);
  CHECK(x.events == y.events && x.last_pair == y.last_pair && x.next_serial == y.next_serial);
  CHECK_INT(x.count, y.count);
  for (size_t i = 0; i < x.count && i < y.count; i++) {
    const ct_contact_record *r = &x.records[i], *s = &y.records[i];
    CHECK(r->pair == s->pair && r->serial_a == s->serial_a && r->serial_b == s->serial_b);
    CHECK(same_text(r->body_a, s->body_a) && same_text(r->body_b, s->body_b));
    CHECK(same_text(r->name_a, s->name_a) && same_text(r->name_b, s->name_b));
    CHECK(r->several_a == s->several_a && r->several_b == s->several_b);
    CHECK(r->collider_a == s->collider_a && r->collider_b == s->collider_b && r->cause == s->cause);
    CHECK(same_bits(&r->begun, &s->begun, sizeof(double)));
    CHECK(same_bits(&r->normal_velocity, &s->normal_velocity, sizeof(double)));
    CHECK(same_bits(&r->distance, &s->distance, sizeof(double)));
    CHECK(same_bits(&r->result.distance, &s->result.distance, 12 * sizeof(double)));
    CHECK(r->result.relation == s->result.relation && r->result.status == s->result.status &&
          r->result.flags == s->result.flags);
    CHECK(r->result.depth_kind == s->result.depth_kind &&
          r->result.triangle_a == s->result.triangle_a);
    CHECK(r->result.triangle_b == s->result.triangle_b &&
          r->result.element_a == s->result.element_a);
    CHECK(r->result.element_b == s->result.element_b &&
          r->result.element_pairs == s->result.element_pairs);
    CHECK(r->result.iterations == s->result.iterations &&
          r->supports_defined == s->supports_defined);
    CHECK(same_bits(r->support_a, s->support_a, sizeof r->support_a) &&
          same_bits(r->support_b, s->support_b, sizeof r->support_b));
  }
}

static inline void check_states(const ct_scene *a, const ct_scene *b) {
  CHECK_INT(ct_scene_attachment_count(a), ct_scene_attachment_count(b));
  for (size_t i = 0; i < ct_scene_attachment_count(a) && i < ct_scene_attachment_count(b); i++) {
    const ct_attachment *x = ct_scene_attachment(a, i), *y = ct_scene_attachment(b, i);
    CHECK(same_text(x->name, y->name));
    if (x->value == y->value) continue;
    check_state(x->value, y->value);
  }
}

static inline void check_same(const ct_scene *a, const ct_scene *b) {
  CHECK_INT(ct_scene_revision(a), ct_scene_revision(b));
  CHECK_INT(ct_scene_rows(a), ct_scene_rows(b));
  CHECK_INT(ct_scene_count(a), ct_scene_count(b));
  CHECK_INT(ct_scene_next_serial(a), ct_scene_next_serial(b));
  CHECK_INT(ct_scene_contacts_begun(a), ct_scene_contacts_begun(b));
  check_rows(a, b);
  check_states(a, b);
}

/* A scene with colliders of all kinds in all notations, and all settings. */
static const char all_kinds[] =
    "{\"filters\":{\"groups\":{\"g\":{\"notCollideWith\":[\"h\"]}},\"pairs\":[{\"a\":\"ball\","
    "\"b\":\"crate\",\"collide\":true,"
    "\"reason\":\"so\"}]},\"user\":{\"a\":[1,2.5,\"x\"]},\"geometricEpsilon\":1e-4,\"gravity\":[0,"
    "0.1,-9.8],"
    "\"materials\":{\"steel\":{\"staticFriction\":0.3,\"youngsModulus\":2e11,\"poissonRatio\":0.3},"
    "\"default\":{}},"
    "\"materialPairs\":[{\"a\":\"steel\",\"b\":\"default\",\"restitution\":0.25}],\"bodies\":["
    "{\"id\":\"ball\",\"position\":[0.1,0.2,0.3],\"rpy\":[0.1,0.2,0.3],\"colliders\":[{\"sphere\":{"
    "\"radius\":0.1},\"id\":\"k\","
    "\"material\":\"steel\",\"position\":[1,2,3],\"rpy\":[1,1,1]}],\"motion\":{\"mass\":2.5,"
    "\"inertiaDiagonal\":[1,1.5,2],"
    "\"inertiaOrientation\":[0.5,0.5,0.5,0.5],\"centerOfMass\":[0.1,0,0],\"linearVelocity\":[1,0,0."
    "1]},\"groups\":[\"g\",\"h\"],"
    "\"user\":{\"k\":null}},"
    "{\"id\":\"crate\",\"position\":[5,0,0],\"colliders\":[{\"box\":{\"size\":[0.1,0.3,0.7],"
    "\"surfaceIds\":[1,2,3,4,5,4294967295]},"
    "\"roundingRadius\":0.01,\"margin\":0.02},"
    "{\"capsule\":{\"radiusBottom\":0.2,\"radiusTop\":0.2,\"height\":1,\"surfaceIds\":[9,8,7]}},"
    "{\"capsule\":{\"radiusBottom\":0.2,\"radiusTop\":0.1,"
    "\"height\":0}},{\"cylinder\":{\"radius\":0.2,\"height\":1},\"roundingRadius\":0.02,"
    "\"roundingMode\":\"add\"},"
    "{\"cone\":{\"radius\":0.2,\"height\":1,\"radiusTop\":0}},{\"plane\":{\"surfaceIds\":[6]}},"
    "{\"ellipsoid\":{\"radii\":[1,0.5,0.3]}}]},"
    "{\"id\":\"hull\",\"position\":[9,0,0],\"colliders\":[{\"convex\":{\"vertices\":[[0,0,0],[1,0,"
    "0],[0,1,0],[0,0,1.1]],"
    "\"surfaceIds\":[7,6,5,4]}},{\"convex\":{\"vertices\":[[0,0,0],[2,0,0],[0,2,0],[0,0,2],[0.1,0."
    "1,0.1]]},\"roundingRadius\":0.05}"
    ","
    "{\"convex\":{\"planes\":[[1,0,0,-1],[-1,0,0,0],[0,1,0,-1],[0,-1,0,0],[0,0,1,-1],[0,0,-1,-0.3]]"
    "}},"
    "{\"convex\":{\"vertices\":[[0,0,1.1],[1,0,0],[0,1,0],[0,0,0]]},\"roundingRadius\":0.03},"
    "{\"mesh\":{\"vertices\":[[0,0,0],[1,0,0],[0,1,0],[0,0,1]],\"triangles\":[[0,2,1],[0,1,3]],"
    "\"convexHull\":true}}],"
    "\"motion\":{\"density\":700,\"isKinematic\":true,\"angularAcceleration\":[0,1,2]}},"
    "{\"id\":\"mesh\",\"position\":[14,0,0],\"colliders\":[{\"mesh\":{\"vertices\":[[0,0,0],[1,0,0]"
    ",[0,1,0],[0,0,1]],"
    "\"triangles\":[[0,2,1],[0,1,3],[0,3,2],[1,2,3]],\"solid\":true},\"margin\":0.1},{\"mesh\":{"
    "\"vertices\":[[0,0,0],[1,0,0],"
    "[0,1,0],[7,7,7]],\"triangles\":[[0,1,2]],\"normals\":[[0,0,1],[0,0,2],[0,0,1],[1,0,0]]}},{"
    "\"mesh\":{\"vertices\":[[0,0,0],"
    "[1,0,0],[0,1,0],[0,0,1]],\"triangles\":[[0,1,2],[0,3,1],[0,2,3],[1,3,2]],\"solid\":false}}]},"
    "{\"id\":\"tet\",\"position\":[19,0,0],\"colliders\":[{\"tetmesh\":{\"vertices\":[[0,0,0],[1,0,"
    "0],[0,1,0],[0,0,1],[1,1,1]],"
    "\"tetrahedra\":[[0,1,2,3],[4,2,1,3]],\"surfaceIds\":[1,2,3,4,5,6]}},{\"hexmesh\":{"
    "\"vertices\":[[0,0,0],[1,0,0],[1,1,0],[0,1,"
    "0],"
    "[0,0,1],[1,0,1],[1,1,1],[0,1,1]],\"hexahedra\":[[0,1,2,3,4,5,6,7]]}},"
    "{\"elementmesh\":{\"vertices\":[[0,0,0],[1,0,0],[1,1,0],[0,1,0],[0,0,1],[1,0,1],[1,1,1],[0,1,"
    "1],"
    "[2,0,0],[2,1,0],[0.5,0.5,2],[1.5,0.5,1.5]],\"elements\":[[0,1,2,3,4,5,6,7],[2,9,6,1,8,5],"
    "[4,5,6,7,10],[5,6,10,11]],\"surfaceIds\":[1,2,3,4,5,6,7,8,9,10,11,12,13,14]},"
    "\"position\":[3,0,0]}]},"
    "{\"id\":\"floor\",\"colliders\":[{\"plane\":{}}],\"position\":[0,0,-1]},"
    "{\"id\":\"still\",\"position\":[30,0,0],\"colliders\":[{\"sphere\":{\"radius\":1}}]}]}";

/* ---- a daemon and its shadow ----------------------------------------------------------------- */

typedef struct shadow {
  rig daemon, again;
  const ct_scene *reported; /* revision of the daemon's scene that the shadow has */
  size_t bases, changes;    /* records so far */
  size_t bytes;             /* bytes of the last record */
  bool last_base, last_names;
  size_t names; /* shapes that the last record names */
} shadow;

static inline shadow shadow_open(void) {
  return (shadow){.daemon = rig_open(), .again = rig_open()};
}

static inline void shadow_close(shadow *s) {
  if (s->reported) ct_scene_release(s->reported);
  rig_close(&s->daemon);
  rig_close(&s->again);
}

static inline const ct_scene *scene_in(rig *r) {
  rig_scene *s = rig_find(r, "s");
  return s ? s->current : NULL;
}

/* Applies a record to the shadow's scene. */
static inline void shadow_apply(shadow *s, const api_record *record) {
  const ct_scene *after = NULL;
  char why[API_RESTORE_WHY] = "";
  api_restored end = api_record_apply(s->again.shapes, scene_in(&s->again), record->bytes,
                                      record->length, &after, why);
  CHECK_INT(end, API_RESTORED);
  if (end != API_RESTORED) {
    CHECK_FAIL("%s", why);
    return;
  }
  rig_commit(&s->again, "s", after);
  ct_scene_release(after);
}

/* The documents of both scenes have the same bytes. */
static inline void check_documents(shadow *s, const char *path) {
  rig_reply a = rig_ask(&s->daemon, "GET", path, NULL), b = rig_ask(&s->again, "GET", path, NULL);
  CHECK_INT(a.status, b.status);
  CHECK_TEXT(a.body, b.body);
  CHECK_TEXT(a.etag, b.etag);
  rig_free(&a);
  rig_free(&b);
}

/* Brings the shadow up to date with the daemon, and compares. */
static inline void shadow_follow(shadow *s) {
  const ct_scene *now = scene_in(&s->daemon);
  api_record record;
  CHECK(api_record_change(s->reported, now, &record));
  s->last_base = record.base;
  s->last_names = record.has_shapes;
  s->bytes = record.length;
  s->names = 0;
  for (size_t i = 0; i < record.shapes_length; i++) s->names += record.shapes[i] == 0;
  if (record.base) s->bases++;
  else s->changes++;
  shadow_apply(s, &record);
  api_record_free(&record);
  if (s->reported) ct_scene_release(s->reported);
  s->reported = ct_scene_retain(now);
  if (!scene_in(&s->again)) return;
  check_same(now, scene_in(&s->again));
  check_documents(s, "/v1/scenes/s");
}

static inline void shadow_write(shadow *s, const char *method, const char *path, const char *body,
                                int status) {
  rig_must(&s->daemon, method, path, body, status);
  shadow_follow(s);
}

/* Restarts the shadow from a base. */
static inline void shadow_restart(shadow *s) {
  api_record record;
  CHECK(api_record_base(scene_in(&s->daemon), &record));
  rig_remove(&s->again, "s");
  shadow_apply(s, &record);
  api_record_free(&record);
  check_same(scene_in(&s->daemon), scene_in(&s->again));
  check_documents(s, "/v1/scenes/s");
}

/* Posts a shape, whose record goes to the shadow. The caller owns the reply. */
static inline rig_reply shadow_post(shadow *s, const api_head *head, const char *body,
                                    size_t length) {
  api_record record = {0};
  s->daemon.posted = &record;
  rig_reply reply = rig_send(&s->daemon, head, body, length, 0);
  s->daemon.posted = NULL;
  CHECK_INT(record.bytes != NULL, reply.status == 201);
  if (!record.bytes) return reply;
  const api_shape_table *after = NULL;
  char why[API_RESTORE_WHY] = "";
  api_restored end = api_record_apply_shape(s->again.service, s->again.shapes, record.bytes,
                                            record.length, &after, why);
  api_record_free(&record);
  if (end != API_RESTORED) {
    CHECK_FAIL("%d: %s", end, why);
    return reply;
  }
  api_shapes_release(s->again.shapes);
  s->again.shapes = after;
  char path[64];
  snprintf(path, sizeof path, "/v1/shapes/%s",
           json_string_value(json_object_get(reply.json, "id")));
  check_documents(s, path);
  return reply;
}

#endif
