/* Surface ids of primitives: the named face contains the contact point, by the point's coordinates
 * in the body's frame; a tilt of 1e-9 rad changes no id; a box, its hull and its element give the
 * same ids; bodies own copies of the ids.
 *
 * The oracle uses no feature codes, only the equation of each face and the part of the surface that
 * the face covers. */
#include "tests/support/full.h"
#include "tests/support/shapes.h"

#include <contact/manifold.h>
#include <contact/scene.h>
#include <contact/volume.h>

enum { CASES = 3000, CASES_FULL = 10000, TILTS = 40, SPOTS = 4000 };

/* Permitted distance of a point from its face, and the distance below which a point counts to
 * several faces, m; the shapes are about 1 m. */
#define ON_FACE 1e-6

static const uint32_t ids[6] = {70, 4294967290u, 3, 41, 500000, 12};

static ct_quat random_rotation(check_random *r) {
  ct_quat q = {check_uniform(r, -1, 1), check_uniform(r, -1, 1), check_uniform(r, -1, 1),
               check_uniform(r, -1, 1)};
  double n = sqrt(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
  return n > 0.1 ? (ct_quat){q.x / n, q.y / n, q.z / n, q.w / n} : ct_quat_identity();
}

static ct_vec3 random_direction(check_random *r) {
  ct_vec3 d = {check_uniform(r, -1, 1), check_uniform(r, -1, 1), check_uniform(r, -1, 1)};
  return ct_unit_or(d, ct_vec(0, 0, 1));
}

static ct_shape random_primitive(check_random *r) {
  double u = check_uniform(r, 0.3, 1.0), v = check_uniform(r, 0.3, 1.0),
         w = check_uniform(r, 0.3, 1.0);
  ct_shape s = sphere(u);
  switch (check_next(r) % 7) {
  case 0: s = box(u, v, w); break;
  case 1: s = capsule(u, v, v); break;
  case 2: s = capsule(u, v, 0.5 * w); break;
  case 3: s = cylinder(u, v); break;
  case 4: s = cone(u, v, check_next(r) % 2 ? 0.0 : 0.5 * w); break;
  case 5: s = ellipsoid(u, v, w); break;
  default: break;
  }
  s.surface_ids = ids;
  return s;
}

/* ---- the oracle ----------------------------------------------------------------------------- */

/* Distance of the point from face f, if that face covers the part of the surface next to the point;
 * else INFINITY. */
static double off_frustum(ct_vec3 p, double half, double bottom, double top, uint32_t f) {
  double rho = sqrt(p.x * p.x + p.y * p.y),
         radius = bottom + (top - bottom) * (p.z + half) / (2.0 * half);
  if (f == 0) return rho <= bottom + ON_FACE && bottom > 0.0 ? fabs(p.z + half) : INFINITY;
  if (f == 1) return rho <= top + ON_FACE && top > 0.0 ? fabs(p.z - half) : INFINITY;
  return fabs(p.z) <= half + ON_FACE ? fabs(rho - radius) : INFINITY;
}

/* Cap or side by the nearest point of the segment of centres, along which the balls grow. */
static double off_capsule(ct_vec3 p, const ct_shape *s, uint32_t f) {
  double half = s->capsule.half_length, bottom = s->capsule.radius_bottom,
         top = s->capsule.radius_top;
  double rho = sqrt(p.x * p.x + p.y * p.y), best = -INFINITY, foot = 0.0;
  for (int i = 0; i <= 20000;
       i++) { /* the ball of the family that extends farthest beyond the point */
    double z = -half + i * half / 10000.0, radius = bottom + (top - bottom) * i / 20000.0;
    double beyond = radius - sqrt(rho * rho + (p.z - z) * (p.z - z));
    if (beyond > best) foot = z, best = beyond;
  }
  double step = half / 5000.0, end = f == 0 ? -half : half;
  if (f == 2) return fabs(best);
  return fabs(foot - end) <= step ? fabs(best) : INFINITY;
}

static double off_box(ct_vec3 p, ct_vec3 h, uint32_t f) {
  const double half[3] = {h.x, h.y, h.z}, at[3] = {p.x, p.y, p.z};
  for (uint32_t k = 0; k < 3; k++)
    if (k != f / 2 && fabs(at[k]) > half[k] + ON_FACE) return INFINITY;
  return fabs(at[f / 2] - (f % 2 ? half[f / 2] : -half[f / 2]));
}

static double off_face(const ct_shape *s, ct_vec3 p, uint32_t f) {
  switch (s->kind) {
  case CT_KIND_BOX: return off_box(p, s->box.half, f);
  case CT_KIND_CYLINDER:
    return off_frustum(p, s->cylinder.half_length, s->cylinder.radius, s->cylinder.radius, f);
  case CT_KIND_CONE:
    return off_frustum(p, s->cone.half_length, s->cone.radius_bottom, s->cone.radius_top, f);
  case CT_KIND_CAPSULE: return off_capsule(p, s, f);
  default: return 0.0; /* one face */
  }
}

/* The faces that contain the point, as bits. */
static unsigned faces_at(const ct_shape *s, ct_vec3 p) {
  unsigned faces = 0;
  for (uint32_t f = 0; f < ct_kind_surface_count(s->kind); f++)
    if (off_face(s, p, f) <= ON_FACE) faces |= 1u << f;
  return faces;
}

/* The bit of the face of an id. */
static unsigned face_named(const ct_shape *s, uint32_t id) {
  for (uint32_t f = 0; f < ct_kind_surface_count(s->kind); f++)
    if (ids[f] == id) return 1u << f;
  return 0;
}

/* ---- contacts ------------------------------------------------------------------------------- */

static uint32_t id_at(const ct_shape *s, const ct_frame *frame, ct_vec3 point, ct_vec3 outward) {
  return ct_shape_surface_at(s, ct_to_local(*frame, point), ct_mat_tmul(frame->rotation, outward));
}

static void check_side(const ct_shape *s, const ct_frame *frame, ct_vec3 point, ct_vec3 outward,
                       ct_feature feature, int index) {
  uint32_t id = id_at(s, frame, point, outward);
  unsigned faces = faces_at(s, ct_to_local(*frame, point)), named = face_named(s, id);
  if (!(faces & named))
    CHECK_FAIL("case %d, kind %s: id %u, the point is on faces %x", index, ct_kind_word(s->kind),
               id, faces);
  if (feature.kind == CT_FEATURE_FACE && ids[feature.index] != id)
    CHECK_FAIL("case %d, kind %s: id %u on face %u", index, ct_kind_word(s->kind), id,
               feature.index);
}

/* Random poses within some centimetres of contact, estimated by bounding balls, and poses along
 * each other's axes. */
static void the_point_of_a_contact_is_on_the_face_that_is_named(void) {
  check_random r = full_random("contacts", 20261123);
  ct_workspace *workspace = ct_workspace_create();
  size_t points = 0, edges = 0;
  for (int i = 0; i < full_cases(CASES, CASES_FULL); i++) {
    ct_shape a = random_primitive(&r), b = random_primitive(&r);
    ct_pose pose_a = {random_direction(&r), random_rotation(&r)},
            pose_b = {ct_vec(0, 0, 0), random_rotation(&r)};
    if (i % 3 == 0) pose_b.rotation = pose_a.rotation;
    ct_frame fa = ct_frame_of(pose_a), fb = ct_frame_of(pose_b);
    ct_vec3 way = i % 3 == 0 ? fa.rotation.rz : random_direction(&r);
    const ct_pair_options options = {.threshold = INFINITY};
    ct_pair_result d;
    fb.position = ct_add_scaled(fa.position, way, 4.0);
    ct_pair_distance((ct_placed){&a, &fa}, (ct_placed){&b, &fb}, &options, workspace, &d);
    fb.position = ct_add_scaled(fb.position, d.normal, check_uniform(&r, -0.02, 0.02) - d.distance);
    ct_manifold m;
    ct_pair_contacts((ct_placed){&a, &fa}, (ct_placed){&b, &fb},
                     &(ct_contact_options){.clearance = 0.05, .detail = CT_DETAIL_FULL}, workspace,
                     &m);
    for (size_t k = 0; k < m.count; k++) {
      const ct_contact_point *p = &m.points[k];
      check_side(&a, &fa, p->point_a, p->normal, p->a, i);
      check_side(&b, &fb, p->point_b, ct_neg(p->normal), p->b, i);
      unsigned faces = faces_at(&a, ct_to_local(fa, p->point_a));
      edges += (faces & (faces - 1)) != 0;
    }
    points += m.count;
  }
  ct_workspace_destroy(workspace);
  if (points < (size_t)CASES || edges < 100)
    CHECK_FAIL("%zu points, %zu on more than one face: too few", points, edges);
}

/* Bodies on a level plate, each with the face that it rests on. */
static void a_tilt_of_a_billionth_changes_no_surface_id(void) {
  const double quarter = sqrt(0.5);
  const ct_quat upright = {0, 0, 0, 1}, lying = {0, quarter, 0, quarter}, over = {1, 0, 0, 0};
  /* The side of this frustum is level after a rotation by 90 degrees less its slope angle. */
  const double slope = 0.5 * (1.5707963267948966 + atan2(0.2, 1.0));
  const struct {
    ct_shape shape;
    ct_quat turn;
    double height; /* of the frame over the plate */
    uint32_t face;
  } rows[] = {{box(0.5, 0.4, 0.3), upright, 0.3, 4},
              {box(0.5, 0.4, 0.3), lying, 0.5, 1},
              {cylinder(0.4, 0.5), upright, 0.5, 0},
              {cylinder(0.4, 0.5), over, 0.5, 1},
              {cylinder(0.4, 0.5), lying, 0.4, 2},
              {cone(0.5, 0.4, 0.2), upright, 0.5, 0},
              {cone(0.5, 0.4, 0.2), over, 0.5, 1},
              {cone(0.5, 0.4, 0.2), {0, sin(slope), 0, cos(slope)}, 0.3 * cos(atan2(0.2, 1.0)), 2},
              {cone(0.5, 0.4, 0.0), over, 0.5, 2},
              {capsule(0.5, 0.3, 0.3), upright, 0.8, 0},
              {capsule(0.5, 0.3, 0.3), over, 0.8, 1},
              {capsule(0.5, 0.3, 0.3), lying, 0.3, 2},
              {rounded(cylinder(0.4, 0.5), true, 0.05, 0.0), lying, 0.4, 2},
              {rounded(cylinder(0.4, 0.5), false, 0.0, 0.05), upright, 0.55, 0}};
  check_random r = full_random("tilts", 7);
  ct_workspace *workspace = ct_workspace_create();
  const ct_shape plates[] = {plane(), box(3, 3, 0.5), cylinder(3, 0.5)};
  for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++)
    for (int i = 0; i < TILTS; i++) {
      ct_shape shape = rows[k].shape, plate = plates[i % 3];
      shape.surface_ids = ids;
      double angle = i < 3 ? 0.0 : 0.5e-9;
      ct_vec3 axis = ct_scale(random_direction(&r), angle);
      ct_quat turn = ct_quat_mul((ct_quat){axis.x, axis.y, axis.z, 1.0}, rows[k].turn);
      ct_frame frame = ct_frame_of((ct_pose){{0, 0, rows[k].height}, turn}),
               under = ct_frame_of(at(0, 0, i % 3 ? -0.5 : 0));
      ct_manifold m;
      ct_pair_contacts((ct_placed){&shape, &frame}, (ct_placed){&plate, &under},
                       &(ct_contact_options){.clearance = 1e-3, .detail = CT_DETAIL_FULL},
                       workspace, &m);
      if (m.count == 0) CHECK_FAIL("row %zu has no contact", k);
      for (size_t j = 0; j < m.count; j++) {
        uint32_t id = id_at(&shape, &frame, m.points[j].point_a, m.points[j].normal);
        if (id != ids[rows[k].face])
          CHECK_FAIL("row %zu, tilt %d: id %u, should be %u", k, i, id, ids[rows[k].face]);
      }
      ct_volume v;
      frame.position.z -= 0.01;
      const ct_volume_options options = {.weighting = CT_WEIGHTING_LINEAR};
      ct_pair_volume((ct_placed){&shape, &frame}, (ct_placed){&plate, &under}, &options, workspace,
                     &v);
      if (v.count != 1 || v.contacts[0].surface_a != ids[rows[k].face])
        CHECK_FAIL("row %zu, tilt %d: volume has id %u, should be %u", k, i,
                   v.count ? v.contacts[0].surface_a : 0, ids[rows[k].face]);
    }
  ct_workspace_destroy(workspace);
}

/* ---- a box in three forms ------------------------------------------------------------------- */

/* The face of a box, in face order, whose outward normal is nearest to n. */
static uint32_t face_along(ct_vec3 n) {
  const double v[6] = {-n.x, n.x, -n.y, n.y, -n.z, n.z};
  uint32_t best = 0;
  for (uint32_t f = 1; f < 6; f++)
    if (v[f] > v[best]) best = f;
  return best;
}

static ct_shape hull_with_ids(ct_vec3 h) {
  ct_shape s = hull_box(h.x, h.y, h.z);
  const ct_hull_view *view = ct_hull_get(s.hull);
  uint32_t own[6];
  for (uint32_t f = 0; f < 6; f++)
    own[f] = ids[face_along(ct_vec(view->nx[f], view->ny[f], view->nz[f]))];
  CHECK_INT(ct_hull_set_surfaces((ct_hull *)(uintptr_t)s.hull, own), CT_OK);
  return s;
}

/* One element in two constructions: its outer faces are named by their position. */
static ct_shape element_with_ids(ct_vec3 h) {
  static const uint32_t corners[8] = {0, 1, 3, 2, 4, 5, 7, 6};
  ct_vec3 p[8];
  for (int i = 0; i < 8; i++)
    p[i] = ct_vec(i & 1 ? h.x : -h.x, i & 2 ? h.y : -h.y, i & 4 ? h.z : -h.z);
  ct_elements_data data = {.type = CT_HEXAHEDRA,
                           .vertices = p,
                           .vertex_count = 8,
                           .corners = corners,
                           .element_count = 1};
  uint32_t own[6];
  for (int again = 0; again < 2; again++) {
    ct_elements *elements = NULL;
    if (ct_elements_create(&data, NULL, &elements, NULL) != CT_OK) abort();
    if (again) return ct_shape_of_elements(elements);
    const ct_elements_view *view = ct_elements_get(elements);
    for (uint32_t t = 0; t < ct_mesh_get(view->surface)->triangle_count; t++)
      own[ct_elements_outer_of(view, t)] = ids[face_along(ct_mesh_normal(view->surface, t))];
    ct_elements_release(elements);
    data.surface_ids = own;
    data.surface_id_count = 6;
  }
  abort();
}

/* A point on the surface, every third on an edge or in a corner, and an outward direction. */
static ct_vec3 random_spot(check_random *r, ct_vec3 h, ct_vec3 *outward) {
  double v[3], n[3] = {0, 0, 0};
  const double half[3] = {h.x, h.y, h.z};
  for (int k = 0; k < 3; k++) v[k] = check_uniform(r, -1, 1) * half[k];
  int axis = (int)(check_next(r) % 3),
      others = check_next(r) % 3 ? 0 : 1 + (int)(check_next(r) % 2);
  for (int k = 0; k <= others; k++) {
    double sign = check_next(r) % 2 ? 1.0 : -1.0;
    v[(axis + k) % 3] = sign * half[(axis + k) % 3];
    n[(axis + k) % 3] = sign * (check_next(r) % 2 ? 1.0 : check_uniform(r, 0.1, 1.0));
  }
  *outward = ct_unit_or(ct_vec(n[0], n[1], n[2]), ct_vec(0, 0, 1));
  return ct_vec(v[0], v[1], v[2]);
}

static void a_box_its_hull_and_its_element_have_the_same_ids(void) {
  check_random r = full_random("boxes", 99);
  ct_workspace *workspace = ct_workspace_create();
  for (int i = 0; i < full_cases(100, 1000); i++) {
    ct_vec3 h = {check_uniform(&r, 0.2, 1), check_uniform(&r, 0.2, 1), check_uniform(&r, 0.2, 1)};
    ct_shape forms[3] = {box(h.x, h.y, h.z), hull_with_ids(h), element_with_ids(h)};
    forms[0].surface_ids = ids;
    for (int k = 0; k < SPOTS / 100; k++) {
      ct_vec3 outward, p = random_spot(&r, h, &outward);
      uint32_t first = ct_shape_surface_at(&forms[0], p, outward);
      for (int f = 1; f < 3; f++) CHECK_INT(ct_shape_surface_at(&forms[f], p, outward), first);
    }
    ct_shape other = random_primitive(&r);
    ct_frame frame = ct_frame_of((ct_pose){random_direction(&r), random_rotation(&r)}),
             here = ct_frame_of(ct_pose_identity());
    uint32_t found[3] = {0, 0, 0};
    size_t counts[3];
    for (int f = 0; f < 3; f++) {
      ct_volume v;
      const ct_volume_options options = {.weighting = CT_WEIGHTING_LINEAR};
      ct_pair_volume((ct_placed){&forms[f], &here}, (ct_placed){&other, &frame}, &options,
                     workspace, &v);
      counts[f] = v.count;
      if (v.count) found[f] = v.contacts[0].surface_a;
    }
    if (counts[0] != counts[1] || counts[0] != counts[2] || found[0] != found[1] ||
        found[0] != found[2])
      CHECK_FAIL("box %d with a %s: %zu %zu %zu contacts, ids %u %u %u", i,
                 ct_kind_word(other.kind), counts[0], counts[1], counts[2], found[0], found[1],
                 found[2]);
    for (int f = 0; f < 3; f++) ct_shape_release(&forms[f]);
  }
  ct_workspace_destroy(workspace);
}

/* ---- bodies --------------------------------------------------------------------------------- */

static void a_body_has_a_copy_of_the_ids(void) {
  uint32_t lent[6] = {9, 8, 7, 6, 5, 4};
  ct_collider colliders[4] = {{.shape = box(1, 1, 1), .pose = at(1, 2, 3), .id = {"first", 5}},
                              {.shape = cone(1, 1, 0)},
                              {.shape = sphere(1), .pose = at(0, 0, 1), .note = {"note", 4}},
                              {.shape = ellipsoid(1, 2, 3)}};
  for (int i = 0; i < 3; i++) colliders[i].shape.surface_ids = lent + i;
  const ct_text group = {"g", 1};
  const ct_body *body = NULL;
  CHECK_INT(ct_body_create(&(ct_body_options){.id = {"b", 1},
                                              .colliders = colliders,
                                              .collider_count = 4,
                                              .groups = &group,
                                              .group_count = 1},
                           &body),
            CT_OK);
  memset(lent, 0, sizeof lent);
  static const uint32_t firsts[3] = {9, 8, 7};
  for (uint32_t i = 0; i < 3; i++) {
    ct_collider c = ct_body_collider(body, i);
    for (uint32_t f = 0; f < ct_kind_surface_count(c.shape.kind); f++)
      CHECK_INT(c.shape.surface_ids[f], firsts[i] - f);
  }
  CHECK(ct_body_collider(body, 3).shape.surface_ids == NULL);
  CHECK(ct_body_collider(body, 0).pose.position.z == 3.0 &&
        ct_body_collider(body, 2).pose.position.z == 1.0);
  CHECK_INT(ct_body_group(body, 0).bytes[0], 'g');
  CHECK_INT(ct_shape_surface_at(&colliders[3].shape, ct_vec(1, 0, 0), ct_vec(1, 0, 0)), 0);
  ct_body_release(body);
}

static const check_test tests[] = {
    {"the_point_of_a_contact_is_on_the_face_that_is_named",
     the_point_of_a_contact_is_on_the_face_that_is_named},
    {"a_tilt_of_a_billionth_changes_no_surface_id", a_tilt_of_a_billionth_changes_no_surface_id},
    {"a_box_its_hull_and_its_element_have_the_same_ids",
     a_box_its_hull_and_its_element_have_the_same_ids},
    {"a_body_has_a_copy_of_the_ids", a_body_has_a_copy_of_the_ids},
};
CHECK_MAIN(tests)
