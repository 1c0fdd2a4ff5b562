/* Volumetric contacts in closed form (T5.1 to T5.7), and the steps of Solfec's construction: inner
 * point, dual points, their hull, its polar.
 *
 * Required behaviours: row 1 (one contact of a pair), row 3 (null when apart), row 4 (inner point),
 * row 5 (dual points), row 6 (hull of normals), row 7 (polar), row 8 (closed triangles), row 9
 * (point, normal, area), row 10 (refused point), row 11 (nearest surfaces), row 12 (gap), row 16
 * (Solfec's epsilon). */
#include <contact/contact.h>

#include "hull/hull_polar.h"
#include "tests/support/shapes.h"
#include "tests/support/workspace.h"

#include <stdlib.h>

static const double root_half = 0.70710678118654752440;

static ct_volume volume_of(const ct_shape *a, ct_pose pa, const ct_shape *b, ct_pose pb,
                           ct_volume_options options) {
  ct_frame fa = ct_frame_of(pa), fb = ct_frame_of(pb);
  ct_volume v;
  ct_pair_volume((ct_placed){a, &fa}, (ct_placed){b, &fb}, &options, workspace, &v);
  CHECK(!v.failed);
  CHECK_INT(v.status, CT_PAIR_OK);
  return v;
}

static ct_volume_contact contact_by(const ct_shape *b, ct_pose pb, ct_volume_options options) {
  ct_shape cube = box(0.5, 0.5, 0.5);
  ct_volume v = volume_of(&cube, at(0.5, 0.5, 0.5), b, pb, options);
  CHECK_INT(v.count, 1);
  if (v.count != 1) return (ct_volume_contact){0};
  CHECK_INT(v.contacts[0].status, CT_PAIR_OK);
  return v.contacts[0];
}

/* The contact of the cube [0, 1]^3 and another body. */
static ct_volume_contact with_cube(const ct_shape *b, ct_pose pb, ct_weighting weighting) {
  return contact_by(b, pb, (ct_volume_options){.weighting = weighting});
}

static void check_vector(ct_vec3 v, double x, double y, double z, double tolerance) {
  CHECK_NEAR(v.x, x, tolerance);
  CHECK_NEAR(v.y, y, tolerance);
  CHECK_NEAR(v.z, z, tolerance);
}

/* The published values have seven digits. */
#define PRINTED 6e-8
#define EXACT 4e-15

/* T5.1: rows 1, 9, 12. With the signs in Solfec's formula the gap would be -0.2. */
static void a_box_in_a_face_of_the_cube(void) {
  ct_shape b = box(0.5, 0.25, 0.25);
  for (int w = 0; w < CT_WEIGHTING_COUNT; w++) {
    ct_volume_contact c = with_cube(&b, at(1.4, 0.5, 0.5), (ct_weighting)w);
    check_vector(c.normal, 1.0, 0.0, 0.0, EXACT);
    check_vector(c.position, 0.95, 0.5, 0.5, EXACT);
    check_vector(c.centroid, 0.95, 0.5, 0.5, EXACT);
    CHECK_NEAR(c.raw_gap, -0.1, EXACT);
    CHECK_NEAR(c.gap, -0.1, EXACT);
    CHECK_NEAR(c.depth_along_normal, 0.1, EXACT);
    CHECK_NEAR(c.area, 0.35, EXACT);
    CHECK_NEAR(c.patch_area, 0.25, EXACT);
    CHECK_NEAR(c.volume, 0.025, EXACT);
    CHECK_INT(c.flags, 0);
  }
}

/* T5.2: row 9. */
static void a_corner_of_a_box_in_a_corner_of_the_cube(void) {
  ct_shape b = box(0.5, 0.5, 0.5);
  ct_volume_contact c = with_cube(&b, at(1.3, 1.2, 1.1), CT_WEIGHTING_SQUARED);
  check_vector(c.normal, 0.8908599, 0.3959377, 0.2227150, PRINTED);
  CHECK_NEAR(c.raw_gap, -0.3860393, PRINTED);
  CHECK_NEAR(c.gap, -0.2842315, PRINTED);
  c = with_cube(&b, at(1.3, 1.2, 1.1), CT_WEIGHTING_LINEAR);
  check_vector(c.normal, 0.7682213, 0.5121475, 0.3841106, PRINTED);
  CHECK_NEAR(c.raw_gap, -0.4609328, PRINTED);
  CHECK_NEAR(c.gap, -0.3853089, PRINTED);
  check_vector(c.position, 0.9, 0.85, 0.8, EXACT);
  CHECK_NEAR(c.area, 0.26, EXACT);
  CHECK_NEAR(c.volume, 0.024, EXACT);
}

/* T5.3: row 9: the two weightings are more than 40 degrees apart. */
static void a_corner_of_a_tetrahedron_in_a_face_of_the_cube(void) {
  const ct_vec3 points[4] = {{0.8, 0.5, 0.5}, {1.8, 0.5, 0.5}, {1.8, 0.9, 0.5}, {1.8, 0.5, 0.9}};
  ct_shape b = hull_shape(points, 4);
  ct_volume_contact c = with_cube(&b, at(0.0, 0.0, 0.0), CT_WEIGHTING_SQUARED);
  check_vector(c.normal, 0.7476737, -0.4695658, -0.4695658, PRINTED);
  CHECK_NEAR(c.raw_gap, -0.1495347, PRINTED);
  CHECK_NEAR(c.gap, -0.2754631, PRINTED);
  c = with_cube(&b, at(0.0, 0.0, 0.0), CT_WEIGHTING_LINEAR);
  check_vector(c.normal, 1.0, 0.0, 0.0, EXACT);
  CHECK_NEAR(c.raw_gap, -0.2, EXACT);
  CHECK_NEAR(c.gap, -0.2, EXACT);
  check_vector(c.position, 0.9402245, 0.5197755, 0.5197755, PRINTED);
  CHECK_NEAR(c.area, 0.0154788, PRINTED);
  CHECK_NEAR(c.volume, 0.2 * 0.0032 / 3.0, EXACT);
  ct_hull_release(b.hull);
}

/* T5.4 */
static void an_edge_of_a_prism_in_a_face_of_the_cube(void) {
  ct_shape b = box(0.5, 0.5, 0.3);
  ct_pose pose = turned(at(0.95 + root_half, 0.5, 0.5), 0.0, 0.0, 0.38268343236508977173,
                        0.92387953251128675613);
  for (int w = 0; w < CT_WEIGHTING_SQUARED + 1; w++) {
    ct_volume_contact c = with_cube(&b, pose, (ct_weighting)w);
    check_vector(c.normal, 1.0, 0.0, 0.0, 4e-14);
    CHECK_NEAR(c.raw_gap, -0.05, EXACT);
    CHECK_NEAR(c.gap, -0.05, EXACT);
    check_vector(c.position, 0.9852879, 0.5, 0.5, PRINTED);
    CHECK_NEAR(c.area, 0.0749264, PRINTED);
    CHECK_NEAR(c.volume, 0.0015, EXACT);
  }
}

/* ---- triangles ------------------------------------------------------------------------------ */

typedef struct surface {
  ct_vec3 vertex[256];
  uint32_t vertex_count, edge_count;
  uint32_t edge[512][2];
} surface;

static uint32_t number_of(surface *s, ct_vec3 p) {
  for (uint32_t v = 0; v < s->vertex_count; v++) {
    if (p.x == s->vertex[v].x && p.y == s->vertex[v].y && p.z == s->vertex[v].z) return v;
  }
  s->vertex[s->vertex_count] = p;
  return s->vertex_count++;
}

static bool has_edge(const surface *s, uint32_t from, uint32_t to) {
  for (uint32_t e = 0; e < s->edge_count; e++) {
    if (s->edge[e][0] == from && s->edge[e][1] == to) return true;
  }
  return false;
}

/* Checks that each edge occurs once in each direction, between vertices of equal bits. */
static surface closed_surface(const ct_volume *v) {
  surface s = {.vertex_count = 0};
  for (size_t t = 0; t < v->triangle_count; t++) {
    uint32_t corner[3];
    for (int i = 0; i < 3; i++) corner[i] = number_of(&s, v->triangles[t].vertex[i]);
    for (int i = 0; i < 3; i++) {
      CHECK(!has_edge(&s, corner[i], corner[(i + 1) % 3]));
      s.edge[s.edge_count][0] = corner[i];
      s.edge[s.edge_count++][1] = corner[(i + 1) % 3];
    }
  }
  for (uint32_t e = 0; e < s.edge_count; e++) CHECK(has_edge(&s, s.edge[e][1], s.edge[e][0]));
  return s;
}

static uint32_t faces_of(const ct_volume *v, ct_volume_owner owner) {
  uint32_t count = 0, last_a = CT_NO_FACE - 1, last_b = CT_NO_FACE - 1;
  for (size_t t = 0; t < v->triangle_count; t++) {
    const ct_volume_triangle *f = &v->triangles[t];
    if (f->owner != owner || (f->face_a == last_a && f->face_b == last_b)) continue;
    last_a = f->face_a;
    last_b = f->face_b;
    count++;
  }
  return count;
}

/* T5.5: row 8: 6 squares of the cube, 8 hexagons of the octahedron, 24 corners; the normal is
 * arbitrary. */
static void a_cube_and_an_octahedron_share_a_truncated_octahedron(void) {
  const double r = 1.2;
  const ct_vec3 points[6] = {{r, 0, 0}, {-r, 0, 0}, {0, r, 0}, {0, -r, 0}, {0, 0, r}, {0, 0, -r}};
  ct_shape cube = box(1.0, 1.0, 1.0), octahedron = hull_shape(points, 6);
  for (int m = 0; m < CT_VOLUME_SOLFEC; m++) {
    ct_volume_options options = {.method = (ct_volume_method)m, .triangles = true};
    ct_volume v = volume_of(&cube, at(0, 0, 0), &octahedron, at(0, 0, 0), options);
    CHECK_INT(v.count, 1);
    const ct_volume_contact *c = &v.contacts[0];
    CHECK_NEAR(c->volume, 2.272, EXACT);
    CHECK_NEAR(2.0 * c->area, 9.6252283, PRINTED);
    CHECK(c->flags & CT_VOLUME_FLAG_NORMAL_FALLBACK);
    CHECK(c->flags & CT_VOLUME_FLAG_NORMAL_ARBITRARY);
    surface s = closed_surface(&v);
    CHECK_INT(s.vertex_count, 24);
    CHECK_INT(faces_of(&v, CT_OWNER_A), 6);
    CHECK_INT(faces_of(&v, CT_OWNER_B), 8);
    CHECK_INT(v.triangle_count, 6 * 2 + 8 * 4);
    CHECK_INT(v.triangle_count, c->triangle_count);
  }
  ct_hull_release(octahedron.hull);
}

/* T5.6: side planes of both count in position and area, in neither normal. */
static void planes_that_are_shared_bias_no_normal(void) {
  ct_shape b = box(0.5, 0.5, 0.5);
  for (int w = 0; w < CT_WEIGHTING_COUNT; w++) {
    ct_volume_contact c = with_cube(&b, at(1.4, 0.5, 0.5), (ct_weighting)w);
    check_vector(c.normal, 1.0, 0.0, 0.0, 0.0);
    CHECK_NEAR(c.volume, 0.1, EXACT);
    CHECK_NEAR(c.gap, -0.1, EXACT);
    CHECK_NEAR(c.area, 1.2, EXACT);
    CHECK_NEAR(c.patch_area, 1.0, EXACT);
    CHECK_INT(c.flags, CT_VOLUME_FLAG_SHARED_FACES);
  }
}

static void a_quarter_turn_shares_planes_too(void) {
  ct_shape b = box(0.5, 0.5, 0.5);
  ct_pose pose = turned(at(1.4, 0.5, 0.5), root_half, 0.0, 0.0, root_half);
  ct_volume_contact c = with_cube(&b, pose, CT_WEIGHTING_LINEAR);
  check_vector(c.normal, 1.0, 0.0, 0.0, EXACT);
  CHECK_NEAR(c.area, 1.2, EXACT);
  CHECK_INT(c.flags, CT_VOLUME_FLAG_SHARED_FACES);
}

static void a_body_in_another_has_the_pairs_own_normal(void) {
  ct_shape b = box(0.1, 0.1, 0.1);
  ct_volume_contact c = with_cube(&b, at(0.5, 0.7, 0.5), CT_WEIGHTING_LINEAR);
  check_vector(c.normal, 0.0, 1.0, 0.0, EXACT);
  CHECK_INT(c.flags, CT_VOLUME_FLAG_NORMAL_FALLBACK);
  CHECK_NEAR(c.volume, 0.008, EXACT);
  CHECK_NEAR(c.depth_along_normal, 0.4, EXACT);
  CHECK_NEAR(c.raw_gap, -0.2, EXACT);
}

/* Row 11: faces of a box are numbered -x, +x, -y, +y, -z, +z. */
static void the_surfaces_are_those_nearest_to_the_point(void) {
  ct_shape b = box(0.25, 0.25, 0.25);
  static const uint32_t opposite[6] = {1, 0, 3, 2, 5, 4};
  for (uint32_t f = 0; f < 6; f++) {
    double s = f & 1 ? 0.7 : -0.7;
    ct_pose pose = at(0.5 + (f / 2 == 0 ? s : 0.0), 0.5 + (f / 2 == 1 ? s : 0.0),
                      0.5 + (f / 2 == 2 ? s : 0.0));
    ct_volume_contact c = with_cube(&b, pose, CT_WEIGHTING_LINEAR);
    CHECK_INT(c.surface_a, f);
    CHECK_INT(c.surface_b, opposite[f]);
  }
}

/* Row 11: faces with names of the caller, in a copy whose rounding may cut or merge faces: each
 * piece has the name of its face. The prism's side faces are rectangles between rounded corners of
 * a ring, which a factor of 1/3 moves out of their planes. */
static void named_faces_keep_their_names_when_scaled(void) {
  check_random r = {3};
  for (int round = 0; round < 50; round++) {
    ct_vec3 ring[16], third[16];
    ct_hull *hull = NULL, *copy = NULL;
    uint32_t ids[64];
    for (int i = 0; i < 8; i++) {
      double x = check_uniform(&r, -1, 1), y = (i & 1 ? 1.0 : -1.0) * sqrt(1.0 - x * x);
      ring[i] = ct_vec(x, y, -0.3);
      ring[8 + i] = ct_vec(x, y, 0.7);
    }
    for (int i = 0; i < 16; i++) third[i] = ct_scale(ring[i], 1.0 / 3.0);
    CHECK_INT(ct_hull_from_points(ring, 16, NULL, &hull, NULL), CT_OK);
    CHECK_INT(ct_hull_from_points(third, 16, NULL, &copy, NULL), CT_OK);
    const ct_hull_view *from = ct_hull_get(hull), *to = ct_hull_get(copy);
    for (uint32_t f = 0; f < from->face_count; f++) ids[f] = 100 + f;
    CHECK_INT(ct_hull_copy_surfaces(copy, hull), CT_OK);
    CHECK(to->surface_ids == NULL);
    CHECK_INT(ct_hull_set_surfaces(hull, ids), CT_OK);
    CHECK_INT(ct_hull_copy_surfaces(copy, hull), CT_OK);
    for (uint32_t f = 0; f < to->face_count; f++) {
      uint32_t g = to->surface_ids[f] - 100;
      CHECK(g < from->face_count);
      CHECK_NEAR(to->nx[f] * from->nx[g] + to->ny[f] * from->ny[g] + to->nz[f] * from->nz[g], 1.0,
                 1e-12);
    }
    ct_hull_release(hull);
    ct_hull_release(copy);
  }
}

/* Row 3. */
static void bodies_apart_or_touching_have_no_contact(void) {
  ct_shape cube = box(0.5, 0.5, 0.5);
  ct_volume v = volume_of(&cube, at(0, 0, 0), &cube, at(1.5, 0, 0), (ct_volume_options){0});
  CHECK_INT(v.count, 0);
  CHECK_INT(v.flags, 0);
  for (int m = 0; m < CT_VOLUME_SOLFEC; m++) {
    v = volume_of(&cube, at(0, 0, 0), &cube, at(1.0, 0.25, 0.0),
                  (ct_volume_options){.method = (ct_volume_method)m});
    CHECK_INT(v.count, 0);
    CHECK_INT(v.flags, CT_VOLUME_FLAG_TOUCHING_ONLY);
  }
}

/* ---- row 4 ---------------------------------------------------------------------------------- */

/* Row 4: a point inside both whose margin is half of the layer's thickness. */
static void an_inner_point_is_found_however_thin_the_layer(void) {
  ct_shape b = box(0.5, 0.25, 0.25);
  for (double depth = 1e-1; depth > 1e-13; depth *= 0.1) {
    double given = 1.0 - (1.0 - depth);
    for (int m = 0; m < CT_VOLUME_SOLFEC; m++) {
      ct_volume_contact c = contact_by(&b, at(0.5 + (1.0 - depth), 0.5, 0.5),
                                       (ct_volume_options){.method = (ct_volume_method)m});
      CHECK(c.margin > 0.0);
      CHECK_NEAR(c.margin, 0.5 * given, 1e-15 + 1e-12 * given);
      CHECK(c.inner.x > 1.0 - given && c.inner.x < 1.0);
      CHECK(c.inner.y > 0.25 && c.inner.y < 0.75);
      CHECK_NEAR(c.volume, 0.25 * given, 1e-15);
      CHECK_NEAR(c.gap, -given, 1e-15);
      check_vector(c.normal, 1.0, 0.0, 0.0, 1e-15 / given);
    }
  }
}

/* ---- rows 5 to 7: the dual ------------------------------------------------------------------ */

typedef struct planes {
  ct_plane_set set;
  ct_half_space unit[16];
  ct_vec3 normals[16], points[16];
  double constants[16];
} planes;

static void open_planes(planes *p) {
  p->set = (ct_plane_set){.count = 0,
                          .unit = p->unit,
                          .normals = p->normals,
                          .constants = p->constants,
                          .points = p->points};
}
static void add_plane(planes *p, ct_vec3 unit, double offset) {
  uint32_t i = p->set.count++;
  p->unit[i] = (ct_half_space){unit, offset};
  p->normals[i] = unit;
  p->constants[i] = -offset;
}
static void cube_planes(planes *p, double half) {
  open_planes(p);
  for (int f = 0; f < 6; f++) {
    double s = f & 1 ? -1.0 : 1.0;
    add_plane(p, ct_vec(f / 2 == 0 ? s : 0.0, f / 2 == 1 ? s : 0.0, f / 2 == 2 ? s : 0.0), half);
  }
}

/* Row 5. */
static void the_distance_of_a_dual_point_is_one_over_that_of_its_plane(void) {
  planes p;
  ct_vec3 inner = {0.25, -0.125, 0.5};
  cube_planes(&p, 1.0);
  add_plane(&p, ct_vec(0.6, 0.8, 0.0), 0.75);
  CHECK_INT(ct_dual_points(&p.set, inner), CT_OK);
  for (uint32_t i = 0; i < p.set.count; i++) {
    double distance = p.unit[i].offset - ct_dot(p.unit[i].normal, inner);
    CHECK_NEAR(ct_norm(p.points[i]) * distance, 1.0, 1e-15);
  }
  CHECK_INT(ct_dual_points(&p.set, ct_vec(1.0, 0.0, 0.0)), CT_DEGENERATE_HULL);
}

/* T5.7, row 7: the dual of the cube is the octahedron of the unit vectors, and the polar of that is
 * the cube again. */
static void the_polar_of_the_polar_of_a_cube_is_the_cube(void) {
  planes p;
  ct_hull_builder grow = {0};
  ct_hull_cells dual = {0}, back = {0}, again = {0};
  cube_planes(&p, 1.0);
  CHECK_INT(ct_dual_points(&p.set, ct_vec(0, 0, 0)), CT_OK);
  CHECK_INT(ct_dual_hull(&p.set, &grow, &dual), CT_OK);
  CHECK_INT(dual.vertex_count, 6);
  CHECK_INT(dual.face_count, 8);
  for (uint32_t v = 0; v < dual.vertex_count; v++) {
    CHECK(ct_norm(ct_sub(dual.vertices[v], p.unit[dual.vertex_input[v]].normal)) == 0.0);
  }
  CHECK_INT(ct_polarise(&dual, ct_vec(0, 0, 0), NULL, &back), CT_OK);
  CHECK_INT(back.vertex_count, 8);
  CHECK_INT(back.face_count, 6);
  for (uint32_t v = 0; v < back.vertex_count; v++) {
    ct_vec3 c = back.vertices[v];
    CHECK(fabs(c.x) == 1.0 && fabs(c.y) == 1.0 && fabs(c.z) == 1.0);
  }
  uint32_t numbers[8] = {0, 1, 2, 3, 4, 5, 6, 7};
  back.vertex_input = numbers;
  CHECK_INT(ct_polarise(&back, ct_vec(0, 0, 0), NULL, &again), CT_OK);
  back.vertex_input = NULL;
  CHECK_INT(again.vertex_count, 6);
  for (uint32_t v = 0; v < again.vertex_count; v++)
    CHECK(ct_norm(ct_sub(again.vertices[v], dual.vertices[v])) == 0.0);
  ct_hull_builder_free(&grow);
  ct_hull_cells_free(&dual);
  ct_hull_cells_free(&back);
  ct_hull_cells_free(&again);
}

/* Row 6: Euler's formula, each edge in two faces, every dual point inside; a redundant plane is no
 * vertex. */
static void the_hull_of_normals_is_a_hull(void) {
  planes p;
  ct_hull_builder grow = {0};
  ct_hull_cells dual = {0};
  cube_planes(&p, 1.0);
  add_plane(&p, ct_vec(0.6, 0.8, 0.0), 1.2);
  add_plane(&p, ct_vec(0.0, 0.6, 0.8), 5.0);
  CHECK_INT(ct_dual_points(&p.set, ct_vec(0.1, 0.2, 0.3)), CT_OK);
  CHECK_INT(ct_dual_hull(&p.set, &grow, &dual), CT_OK);
  CHECK_INT(dual.vertex_count, 7);
  uint32_t corners = dual.face_start[dual.face_count];
  CHECK_INT((int)dual.vertex_count - (int)corners / 2 + (int)dual.face_count, 2);
  for (uint32_t f = 0; f < dual.face_count; f++) {
    const uint32_t *loop = dual.face_loop + dual.face_start[f];
    for (uint32_t i = 0; i < p.set.count; i++) {
      CHECK(ct_orient3d(dual.vertices[loop[0]], dual.vertices[loop[1]], dual.vertices[loop[2]],
                        p.points[i]) <= 0);
    }
  }
  ct_hull_builder_free(&grow);
  ct_hull_cells_free(&dual);
}

/* ---- Solfec's method ------------------------------------------------------------------------- */

#define SEED(e)                                                                                    \
  ((ct_volume_options){                                                                            \
      .method = CT_VOLUME_SOLFEC, .weighting = CT_WEIGHTING_SQUARED, .epsilon = (e)})

/* Row 16: where the margin exceeds epsilon, Solfec's method has the values of squared weighting. */
static void the_seed_answers_a_deep_pair_as_everyone(void) {
  ct_shape b = box(0.5, 0.5, 0.5);
  ct_volume_contact c = contact_by(&b, at(1.3, 1.2, 1.1), SEED(1e-6));
  check_vector(c.normal, 0.8908599, 0.3959377, 0.2227150, PRINTED);
  CHECK_NEAR(c.raw_gap, -0.3860393, PRINTED);
  CHECK_NEAR(c.gap, -0.2842315, PRINTED);
  check_vector(c.position, 0.9, 0.85, 0.8, EXACT);
  CHECK_NEAR(c.area, 0.26, EXACT);
  CHECK_INT(c.flags, 0);
  CHECK(c.margin >= 1e-6);
}

/* Bodies apart by less than epsilon: the planes are moved out from the inner point, and there is a
 * contact. */
static void the_seed_joins_bodies_that_are_nearer_than_epsilon(void) {
  ct_shape cube = box(0.5, 0.5, 0.5);
  ct_volume v = volume_of(&cube, at(0, 0, 0), &cube, at(1.0005, 0, 0), SEED(1e-3));
  CHECK_INT(v.count, 1);
  if (v.count == 1) {
    CHECK(v.contacts[0].flags & CT_VOLUME_FLAG_TOLERANCE_RAISED);
    CHECK(v.contacts[0].gap <= 0.0 && v.contacts[0].gap >= -2.1e-3);
    CHECK_NEAR(v.contacts[0].normal.x, 1.0, 1e-6);
  }
  CHECK_INT(volume_of(&cube, at(0, 0, 0), &cube, at(1.002, 0, 0), SEED(1e-3)).count, 0);
}

/* Row 10: planes moved out by a fiftieth of the size extend the common surface of a thin plate
 * beyond the bodies, and the point is refused. With unmoved planes the same pair has a contact
 * whose point is in both bodies. */
static void the_seed_refuses_a_point_outside_a_body(void) {
  ct_shape a = box(0.32756379271824049, 0.078583724149184089, 0.5),
           b = box(0.0022746664667356508, 0.5, 0.33140499079091618);
  ct_pose pose =
      turned(at(0.097206775881641616, 0.42038854338000675, 0.19877683069804064),
             0.12917245088075813, -0.78442718906075792, -0.95621685833371695, -0.87494705251451932);
  ct_volume v = volume_of(&a, at(0, 0, 0), &b, pose, SEED(0.02));
  CHECK_INT(v.count, 0);
  CHECK_INT(v.flags, CT_VOLUME_FLAG_ILL_CONDITIONED);
  v = volume_of(&a, at(0, 0, 0), &b, pose, (ct_volume_options){0});
  CHECK_INT(v.count, 1);
  if (v.count == 1) CHECK_INT(v.contacts[0].flags & CT_VOLUME_FLAG_ILL_CONDITIONED, 0);
}

/* Row 16: with all lengths and epsilon times s, lengths scale, normals and surfaces do not change.
 */
static void scaling_scales_every_method(void) {
  for (int m = 0; m < CT_VOLUME_METHOD_COUNT; m++) {
    ct_volume_options options = {
        .weighting = CT_WEIGHTING_SQUARED, .method = (ct_volume_method)m, .epsilon = 1e-6};
    ct_shape a = box(0.5, 0.4, 0.3), b = box(0.2, 0.3, 0.6);
    ct_pose pose = turned(at(0.6, 0.1, 0.2), 0.1, 0.2, 0.3, 0.9);
    ct_volume_contact c = volume_of(&a, at(0, 0, 0), &b, pose, options).contacts[0];
    const double by[3] = {0x1p-10, 0x1p10, 0x1p20};
    for (int i = 0; i < 3; i++) {
      double s = by[i];
      ct_shape sa = box(0.5 * s, 0.4 * s, 0.3 * s), sb = box(0.2 * s, 0.3 * s, 0.6 * s);
      ct_pose moved = pose;
      moved.position = ct_scale(pose.position, s);
      options.epsilon = 1e-6 * s;
      ct_volume_contact d = volume_of(&sa, at(0, 0, 0), &sb, moved, options).contacts[0];
      CHECK_NEAR(d.volume / (s * s * s), c.volume, 1e-14);
      CHECK_NEAR(d.area / (s * s), c.area, 1e-14);
      CHECK_NEAR(d.gap / s, c.gap, 1e-13);
      CHECK(ct_norm(ct_sub(d.normal, c.normal)) <= 1e-13);
      CHECK_INT(d.surface_a, c.surface_a);
      CHECK_INT(d.surface_b, c.surface_b);
    }
  }
}

static const check_test tests[] = {
    {"a_box_in_a_face_of_the_cube", a_box_in_a_face_of_the_cube},
    {"a_corner_of_a_box_in_a_corner_of_the_cube", a_corner_of_a_box_in_a_corner_of_the_cube},
    {"a_corner_of_a_tetrahedron_in_a_face_of_the_cube",
     a_corner_of_a_tetrahedron_in_a_face_of_the_cube},
    {"an_edge_of_a_prism_in_a_face_of_the_cube", an_edge_of_a_prism_in_a_face_of_the_cube},
    {"a_cube_and_an_octahedron_share_a_truncated_octahedron",
     a_cube_and_an_octahedron_share_a_truncated_octahedron},
    {"planes_that_are_shared_bias_no_normal", planes_that_are_shared_bias_no_normal},
    {"a_quarter_turn_shares_planes_too", a_quarter_turn_shares_planes_too},
    {"a_body_in_another_has_the_pairs_own_normal", a_body_in_another_has_the_pairs_own_normal},
    {"the_surfaces_are_those_nearest_to_the_point", the_surfaces_are_those_nearest_to_the_point},
    {"named_faces_keep_their_names_when_scaled", named_faces_keep_their_names_when_scaled},
    {"bodies_apart_or_touching_have_no_contact", bodies_apart_or_touching_have_no_contact},
    {"an_inner_point_is_found_however_thin_the_layer",
     an_inner_point_is_found_however_thin_the_layer},
    {"the_distance_of_a_dual_point_is_one_over_that_of_its_plane",
     the_distance_of_a_dual_point_is_one_over_that_of_its_plane},
    {"the_polar_of_the_polar_of_a_cube_is_the_cube", the_polar_of_the_polar_of_a_cube_is_the_cube},
    {"the_hull_of_normals_is_a_hull", the_hull_of_normals_is_a_hull},
    {"the_seed_answers_a_deep_pair_as_everyone", the_seed_answers_a_deep_pair_as_everyone},
    {"the_seed_joins_bodies_that_are_nearer_than_epsilon",
     the_seed_joins_bodies_that_are_nearer_than_epsilon},
    {"the_seed_refuses_a_point_outside_a_body", the_seed_refuses_a_point_outside_a_body},
    {"scaling_scales_every_method", scaling_scales_every_method},
};
WORKSPACE_MAIN(tests)
