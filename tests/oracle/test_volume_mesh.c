/* Common volumes of closed meshes against sums of whole cubes, convex pairs and invariants.
 *
 * A solid of cubes on a grid overlaps another whose cubes are shifted by half a cube or more. All
 * faces coincide or cross at right angles, and volume, centroid, surfaces and their owners are sums
 * over the unit cells of the finer grid, without rounding. */
#include "tests/support/meshes.h"

#include <contact/volume.h>

#define SIDE 4           /* cells of a solid along each axis, two units each */
#define UNITS (4 * SIDE) /* units along an axis that cover both solids */

typedef struct cells {
  bool in[SIDE][SIDE][SIDE];
} cells;

static bool has_cell(const cells *c, int x, int y, int z) {
  return x >= 0 && y >= 0 && z >= 0 && x < SIDE && y < SIDE && z < SIDE && c->in[x][y][z];
}

/* A mesh of each cube's faces that have no neighbour; counter-clockwise from outside. */
static ct_shape solid_of(const cells *c) {
  soup s = {0};
  for (int x = 0; x < SIDE; x++)
    for (int y = 0; y < SIDE; y++)
      for (int z = 0; z < SIDE; z++)
        for (int f = 0; f < 6 && c->in[x][y][z]; f++) {
          int at[3] = {x, y, z}, next[3] = {x, y, z}, axis = f / 2, up = f % 2, u = (axis + 1) % 3,
              v = (axis + 2) % 3;
          next[axis] += up ? 1 : -1;
          if (has_cell(c, next[0], next[1], next[2])) continue;
          uint32_t corner[4];
          for (int k = 0; k < 4; k++) {
            int p[3] = {2 * at[0], 2 * at[1], 2 * at[2]};
            p[axis] += 2 * up;
            p[u] += k == 1 || k == 2 ? 2 : 0;
            p[v] += k >= 2 ? 2 : 0;
            corner[k] = soup_vertex(&s, ct_vec(p[0], p[1], p[2]));
          }
          for (int k = 0; k < 2; k++) {
            uint32_t q = corner[k + 1], r = corner[k + 2];
            soup_triangle(&s, corner[0], up ? q : r, up ? r : q);
          }
        }
  return soup_shape(&s);
}

static cells random_cells(check_random *r) {
  cells c = {0};
  int count = 0;
  double density = check_uniform(r, 0.1, 0.9);
  while (count == 0)
    for (int i = 0; i < SIDE * SIDE * SIDE; i++) {
      bool in = check_uniform(r, 0.0, 1.0) < density;
      c.in[i / (SIDE * SIDE)][i / SIDE % SIDE][i % SIDE] = in;
      count += in;
    }
  return c;
}

/* The intersection of the two, unit by unit. */
typedef struct shared {
  int volume, surface, both; /* both: the part of the surface that is a face of both */
  double centroid[3], position[3];
  int normal[3]; /* sum over a's faces less that over b's */
} shared;

static bool has_unit(const cells *c, const int shift[3], int x, int y, int z) {
  x -= shift[0], y -= shift[1], z -= shift[2];
  return x >= 0 && y >= 0 && z >= 0 && has_cell(c, x / 2, y / 2, z / 2);
}

/* The second solid: a set of units, or everything below a height. */
typedef struct other_solid {
  const cells *cells; /* NULL: everything below the height */
  const int *shift;
  int height; /* a unit's upper face may be in the plane */
} other_solid;

static bool in_other(const other_solid *b, const int at[3]) {
  return b->cells ? has_unit(b->cells, b->shift, at[0], at[1], at[2]) : at[2] < b->height;
}

static shared truth_of(const cells *a, const other_solid *b) {
  const int none[3] = {0, 0, 0};
  shared t = {0};
  for (int i = 0; i < UNITS * UNITS * UNITS; i++) {
    int at[3] = {i / (UNITS * UNITS), i / UNITS % UNITS, i % UNITS};
    if (!has_unit(a, none, at[0], at[1], at[2]) || !in_other(b, at)) continue;
    t.volume++;
    for (int k = 0; k < 3; k++) t.centroid[k] += at[k] + 0.5;
    for (int f = 0; f < 6; f++) {
      int next[3] = {at[0], at[1], at[2]}, axis = f / 2, way = f % 2 ? 1 : -1;
      next[axis] += way;
      bool of_a = !has_unit(a, none, next[0], next[1], next[2]), of_b = !in_other(b, next);
      if (!of_a && !of_b) continue;
      t.surface++;
      t.both += of_a && of_b;
      for (int k = 0; k < 3; k++) t.position[k] += at[k] + 0.5 + (k == axis ? 0.5 * way : 0.0);
      if (of_a != of_b) t.normal[axis] += of_a ? way : -way;
    }
  }
  for (int k = 0; k < 3; k++) {
    t.centroid[k] /= t.volume ? t.volume : 1;
    t.position[k] /= t.surface ? t.surface : 1;
  }
  return t;
}

static ct_vec3 vector_of(const double p[3]) { return ct_vec(p[0], p[1], p[2]); }

static double apart(ct_vec3 p, ct_vec3 q) { return ct_norm(ct_sub(p, q)); }

static ct_pose random_pose(check_random *r) {
  ct_pose p = ct_pose_identity();
  p.position = ct_vec(check_uniform(r, -5, 5), check_uniform(r, -5, 5), check_uniform(r, -5, 5));
  p.rotation = (ct_quat){check_uniform(r, -1, 1), check_uniform(r, -1, 1), check_uniform(r, -1, 1),
                         check_uniform(r, -1, 1)};
  return p;
}

static ct_volume volume_of(ct_shape a, ct_pose pose_a, ct_shape b, ct_pose pose_b,
                           ct_weighting weighting) {
  static ct_workspace *workspace;
  if (!workspace) workspace = ct_workspace_create();
  ct_frame frame_a = ct_frame_of(pose_a), frame_b = ct_frame_of(pose_b);
  ct_volume_options options = {.weighting = weighting, .triangles = true};
  ct_volume v;
  ct_pair_volume((ct_placed){&a, &frame_a}, (ct_placed){&b, &frame_b}, &options, workspace, &v);
  CHECK(!v.failed);
  CHECK_INT(v.status, CT_PAIR_OK);
  CHECK(v.count <= 1);
  return v;
}

/* The surface's triangles have its area and enclose the volume; the owners' areas add up to the
 * normal. */
static double triangles_close(const ct_volume *v) {
  const ct_volume_contact *c = &v->contacts[0];
  double area = 0.0, volume = 0.0, shared_area = 0.0;
  ct_vec3 closing = {0, 0, 0}, owned = {0, 0, 0};
  CHECK(c->triangle_count > 0 && c->triangle_count == v->triangle_count);
  for (size_t i = 0; i < v->triangle_count; i++) {
    const ct_volume_triangle *t = &v->triangles[i];
    ct_vec3 half = ct_scale(
        ct_cross(ct_sub(t->vertex[1], t->vertex[0]), ct_sub(t->vertex[2], t->vertex[0])), 0.5);
    area += ct_norm(half);
    closing = ct_add(closing, half);
    volume += ct_dot(half, ct_sub(t->vertex[0], c->position)) / 3.0;
    if (t->owner != CT_OWNER_SHARED)
      owned = ct_add_scaled(owned, half, t->owner == CT_OWNER_A ? 1.0 : -1.0);
    if (t->owner == CT_OWNER_SHARED) shared_area += ct_norm(half);
    CHECK((t->face_a == CT_NO_FACE) == (t->owner == CT_OWNER_B) &&
          (t->face_b == CT_NO_FACE) == (t->owner == CT_OWNER_A));
  }
  CHECK_NEAR(area, 2.0 * c->area, 1e-10);
  CHECK_NEAR(volume, c->volume, 1e-10);
  CHECK_NEAR(ct_norm(closing), 0.0, 1e-10);
  CHECK_NEAR(0.5 * ct_norm(owned), c->patch_area, 1e-10);
  return shared_area;
}

static void agrees(const ct_volume *v, const shared *t, ct_pose pose, double tolerance) {
  CHECK_INT(v->count, t->volume > 0);
  if (v->count == 0 || t->volume == 0) return;
  const ct_volume_contact *c = &v->contacts[0];
  ct_frame frame = ct_frame_of(pose);
  CHECK_INT(c->status, CT_PAIR_OK);
  CHECK_NEAR(c->volume, t->volume, tolerance);
  CHECK_NEAR(2.0 * c->area, t->surface, tolerance);
  CHECK_NEAR(2.0 * c->patch_area, ct_norm(ct_vec(t->normal[0], t->normal[1], t->normal[2])),
             tolerance);
  CHECK_NEAR(apart(c->centroid, ct_to_parent(frame, vector_of(t->centroid))), 0.0, tolerance);
  CHECK_NEAR(apart(c->position, ct_to_parent(frame, vector_of(t->position))), 0.0, tolerance);
  CHECK_INT((c->flags & CT_VOLUME_FLAG_SHARED_FACES) != 0, t->both > 0);
  CHECK(!(c->flags & CT_VOLUME_FLAG_COUNTED_TWICE));
  CHECK_NEAR(triangles_close(v), t->both, tolerance * 10.0);
  ct_vec3 normal = ct_vec(t->normal[0], t->normal[1], t->normal[2]);
  CHECK_INT((c->flags & CT_VOLUME_FLAG_NORMAL_FALLBACK) != 0, ct_norm(normal) == 0.0);
  if (ct_norm(normal) > 0.0)
    CHECK_NEAR(apart(c->normal, ct_mat_mul(frame.rotation, ct_unit_or(normal, normal))), 0.0,
               tolerance);
}

/* Half of the pairs are axis-aligned, with exactly coincident faces; half are rotated together,
 * with faces that coincide up to rounding. */
static void row_17_common_volumes_of_voxel_solids_are_those_of_their_cells(void) {
  check_random r = {51};
  int cases = getenv("CONTACTD_FULL") ? 4000 : 200, contacts = 0, shared_faces = 0;
  for (int i = 0; i < cases; i++) {
    cells a = random_cells(&r), b = random_cells(&r);
    int shift[3];
    for (int k = 0; k < 3; k++) shift[k] = (int)(check_next(&r) % (2 * SIDE + 1));
    shared t = truth_of(&a, &(other_solid){.cells = &b, .shift = shift});
    ct_shape shape_a = solid_of(&a), shape_b = solid_of(&b);
    ct_pose pose = i % 2 ? random_pose(&r) : ct_pose_identity(), moved = pose;
    moved.position = ct_to_parent(ct_frame_of(pose), ct_vec(shift[0], shift[1], shift[2]));
    ct_volume v = volume_of(shape_a, pose, shape_b, moved, CT_WEIGHTING_LINEAR);
    agrees(&v, &t, pose, 1e-11);
    contacts += t.volume > 0;
    shared_faces += t.both > 0;
    ct_shape_release(&shape_a);
    ct_shape_release(&shape_b);
  }
  CHECK(contacts > cases / 2);
  CHECK(shared_faces > cases / 4);
}

static void row_17_solids_of_cubes_below_a_plane(void) {
  check_random r = {57};
  ct_shape ground = {.kind = CT_KIND_PLANE};
  int contacts = 0;
  for (int i = 0; i < 400; i++) {
    cells a = random_cells(&r);
    int height = (int)(check_next(&r) % (2 * SIDE + 1));
    shared t = truth_of(&a, &(other_solid){.height = height});
    ct_shape shape = solid_of(&a);
    ct_pose pose = i % 2 ? random_pose(&r) : ct_pose_identity(), plane = pose;
    plane.position = ct_to_parent(ct_frame_of(pose), ct_vec(3, -2, height));
    ct_volume v = volume_of(shape, pose, ground, plane, CT_WEIGHTING_LINEAR);
    agrees(&v, &t, pose, 1e-11);
    contacts += t.volume > 0;
    ct_shape_release(&shape);
  }
  CHECK(contacts > 200);
}

/* ---- meshes made of hulls ------------------------------------------------------------------- */

static ct_hull *random_hull(check_random *r) {
  ct_vec3 points[24];
  size_t count = 6 + (size_t)(check_next(r) % 18);
  ct_hull *hull = NULL;
  for (size_t i = 0; i < count; i++)
    points[i] = ct_vec(check_uniform(r, -1, 1), check_uniform(r, -1, 1), check_uniform(r, -1, 1));
  if (ct_hull_from_points(points, count, NULL, &hull, NULL) != CT_OK) abort();
  return hull;
}

static void add_hull(soup *s, const ct_hull *hull) {
  const ct_hull_view *v = ct_hull_get(hull);
  uint32_t base = s->vn;
  for (uint32_t i = 0; i < v->vertex_count; i++) soup_vertex(s, ct_vec(v->x[i], v->y[i], v->z[i]));
  for (uint32_t f = 0; f < v->face_count; f++)
    for (uint32_t k = v->face_start[f] + 2; k < v->face_start[f + 1]; k++)
      soup_triangle(s, base + v->face_loop[v->face_start[f]], base + v->face_loop[k - 1],
                    base + v->face_loop[k]);
}

static ct_shape mesh_of_hull(const ct_hull *hull) {
  soup s = {0};
  add_hull(&s, hull);
  return soup_shape(&s);
}

static void same_contact(const ct_volume_contact *c, const ct_volume_contact *d) {
  CHECK_NEAR(c->volume, d->volume, 1e-13);
  CHECK_NEAR(c->area, d->area, 1e-12);
  CHECK_NEAR(c->patch_area, d->patch_area, 1e-12);
  /* Centroids of the smallest volumes are as accurate, relative to the size. */
  CHECK_NEAR(apart(c->centroid, d->centroid) * d->volume, 0.0, 1e-13);
  CHECK_NEAR(apart(c->position, d->position) * d->area, 0.0, 1e-12);
  CHECK_NEAR(apart(c->normal, d->normal) * d->patch_area, 0.0, 1e-12);
  double lean = apart(c->normal, d->normal);
  CHECK_NEAR(c->raw_gap, d->raw_gap, 1e-12 + 4.0 * lean);
  CHECK_NEAR(c->gap, d->gap, 1e-12 + 4.0 * lean);
  CHECK_NEAR(c->depth_along_normal, d->depth_along_normal, 1e-12 + 4.0 * lean);
}

/* As two convex polyhedra, as two meshes, and as one of each: one answer. */
static void row_17_meshes_of_hulls_answer_as_the_hulls(void) {
  check_random r = {52};
  int cases = getenv("CONTACTD_FULL") ? 20000 : 400, contacts = 0;
  for (int i = 0; i < cases; i++) {
    ct_shape a = {.kind = CT_KIND_CONVEX, .hull = random_hull(&r)},
             b = {.kind = CT_KIND_CONVEX, .hull = random_hull(&r)};
    ct_shape mesh_a = mesh_of_hull(a.hull), mesh_b = mesh_of_hull(b.hull);
    ct_pose pa = random_pose(&r), pb = random_pose(&r);
    pb.position = ct_add_scaled(pa.position, pb.position, 0.25);
    ct_volume v = volume_of(a, pa, b, pb, CT_WEIGHTING_LINEAR);
    size_t count = v.count;
    ct_volume_contact truth = count ? v.contacts[0] : (ct_volume_contact){0};
    const ct_shape first[3] = {mesh_a, mesh_a, a}, second[3] = {mesh_b, b, mesh_b};
    for (int k = 0; k < 3; k++) {
      v = volume_of(first[k], pa, second[k], pb, CT_WEIGHTING_LINEAR);
      CHECK_INT(v.count, count);
      if (v.count && count) same_contact(&v.contacts[0], &truth);
      if (v.count) triangles_close(&v);
    }
    contacts += count > 0;
    ct_shape_release(&a);
    ct_shape_release(&b);
    ct_shape_release(&mesh_a);
    ct_shape_release(&mesh_b);
  }
  CHECK(contacts > cases / 4);
}

/* A half-space acts as a sufficiently large box. */
static void row_17_hulls_below_a_plane_are_hulls_in_a_large_box(void) {
  check_random r = {58};
  ct_shape ground = {.kind = CT_KIND_PLANE}, box = {.kind = CT_KIND_BOX, .box.half = {8, 8, 8}};
  int contacts = 0;
  for (int i = 0; i < 400; i++) {
    ct_shape a = {.kind = CT_KIND_CONVEX, .hull = random_hull(&r)}, mesh = mesh_of_hull(a.hull);
    ct_pose pa = random_pose(&r), plane = random_pose(&r), pb = plane;
    plane.position = ct_add_scaled(pa.position, plane.position, 0.2);
    pb.position = ct_to_parent(ct_frame_of(plane), ct_vec(0, 0, -8));
    ct_volume v = volume_of(a, pa, box, pb, CT_WEIGHTING_LINEAR);
    size_t count = v.count;
    ct_volume_contact truth = count ? v.contacts[0] : (ct_volume_contact){0};
    for (int k = 0; k < 2; k++) {
      v = volume_of(k ? mesh : a, pa, ground, plane, CT_WEIGHTING_LINEAR);
      CHECK_INT(v.count, count);
      if (v.count == 0 || count == 0) continue;
      const ct_volume_contact *c = &v.contacts[0];
      CHECK_NEAR(c->volume, truth.volume, 1e-12);
      CHECK_NEAR(c->area, truth.area, 1e-12);
      CHECK_NEAR(apart(c->centroid, truth.centroid) * truth.volume, 0.0, 1e-12);
      CHECK_NEAR(apart(c->position, truth.position) * truth.area, 0.0, 1e-12);
      if (truth.flags & CT_VOLUME_FLAG_NORMAL_FALLBACK) continue;
      CHECK_NEAR(apart(c->normal, truth.normal) * truth.patch_area, 0.0, 1e-12);
    }
    contacts += count > 0;
    ct_shape_release(&a);
    ct_shape_release(&mesh);
  }
  CHECK(contacts > 200);
}

/* With the weighting SQUARED_FACE, boxes as meshes and as boxes have the same normal: coplanar
 * triangles count as one face. */
static void whole_faces_weigh_as_those_of_hulls(void) {
  check_random r = {53};
  for (int i = 0; i < 200; i++) {
    ct_shape a = {.kind = CT_KIND_BOX,
                  .box.half = {check_uniform(&r, 0.3, 1), check_uniform(&r, 0.3, 1),
                               check_uniform(&r, 0.3, 1)}};
    ct_shape b = {.kind = CT_KIND_BOX,
                  .box.half = {check_uniform(&r, 0.3, 1), check_uniform(&r, 0.3, 1),
                               check_uniform(&r, 0.3, 1)}};
    soup s = {0}, t = {0};
    soup_box(&s, ct_neg(a.box.half), a.box.half);
    soup_box(&t, ct_neg(b.box.half), b.box.half);
    ct_shape mesh_a = soup_shape(&s), mesh_b = soup_shape(&t);
    ct_pose pa = random_pose(&r), pb = random_pose(&r);
    pb.position = ct_add_scaled(pa.position, pb.position, 0.15);
    ct_volume v = volume_of(a, pa, b, pb, CT_WEIGHTING_SQUARED_FACE);
    ct_volume_contact truth = v.count ? v.contacts[0] : (ct_volume_contact){0};
    bool reported = truth.patch_area > 1e-3 && !(truth.flags & CT_VOLUME_FLAG_NORMAL_FALLBACK);
    const ct_shape first[3] = {mesh_a, mesh_a, a}, second[3] = {mesh_b, b, mesh_b};
    for (int k = 0; k < 3 && reported; k++) {
      v = volume_of(first[k], pa, second[k], pb, CT_WEIGHTING_SQUARED_FACE);
      CHECK_INT(v.count, 1);
      if (v.count) CHECK_NEAR(apart(v.contacts[0].normal, truth.normal), 0.0, 1e-8);
    }
    ct_shape_release(&mesh_a);
    ct_shape_release(&mesh_b);
  }
}

/* ---- invariants ----------------------------------------------------------------------------- */

static bool same_bits(double x, double y) { return memcmp(&x, &y, sizeof x) == 0; }

static bool same_vector(ct_vec3 p, ct_vec3 q) {
  return same_bits(p.x, q.x) && same_bits(p.y, q.y) && same_bits(p.z, q.z);
}

static ct_shape random_blob(check_random *r) {
  soup s = {0};
  soup_sphere(&s, ct_vec(0, 0, 0), 1.0, 8 + (uint32_t)(check_next(r) % 8),
              8 + (uint32_t)(check_next(r) % 8));
  for (uint32_t i = 0; i < s.vn; i++) s.v[i] = ct_scale(s.v[i], check_uniform(r, 0.6, 1.4));
  return soup_shape(&s);
}

static void a_swap_mirrors_to_the_bit(void) {
  check_random r = {54};
  int contacts = 0;
  for (int i = 0; i < 60; i++) {
    ct_shape a = random_blob(&r), b = i % 3 ? random_blob(&r) : a;
    if (i % 3 == 0) ct_shape_retain(&a);
    ct_pose pa = random_pose(&r), pb = random_pose(&r);
    pb.position = ct_add_scaled(pa.position, pb.position, 0.2);
    ct_volume v = volume_of(a, pa, b, pb, (ct_weighting)(i % 3));
    ct_volume_contact c = v.count ? v.contacts[0] : (ct_volume_contact){0};
    size_t count = v.count;
    if (count) triangles_close(&v);
    v = volume_of(b, pb, a, pa, (ct_weighting)(i % 3));
    CHECK_INT(v.count, count);
    const ct_volume_contact none = {0}, *d = v.count ? &v.contacts[0] : &none;
    CHECK(same_bits(c.volume, d->volume) && same_bits(c.area, d->area) &&
          same_bits(c.patch_area, d->patch_area));
    CHECK(same_bits(c.raw_gap, d->raw_gap) && same_bits(c.gap, d->gap));
    CHECK(same_vector(c.centroid, d->centroid) && same_vector(c.position, d->position));
    CHECK(apart(c.normal, ct_neg(d->normal)) == 0.0);
    CHECK(c.surface_a == d->surface_b && c.surface_b == d->surface_a && c.flags == d->flags);
    contacts += count > 0;
    ct_shape_release(&a);
    ct_shape_release(&b);
  }
  CHECK(contacts > 30);
}

static double volume_alone(ct_shape a, ct_pose pa, ct_shape b, ct_pose pb) {
  ct_volume v = volume_of(a, pa, b, pb, CT_WEIGHTING_LINEAR);
  return v.count ? v.contacts[0].volume : 0.0;
}

/* Row 18, intersections: a box cut in two, one half a mesh and the other a box: the volumes add up
 * to the whole; and the intersection of the whole with itself is the whole. */
static void parts_add_up(void) {
  check_random r = {55};
  for (int i = 0; i < 60; i++) {
    ct_shape a = random_blob(&r);
    ct_pose pa = random_pose(&r), pb = pa;
    double cut = check_uniform(&r, -0.5, 0.5);
    pb.rotation = random_pose(&r).rotation;
    soup left = {0}, right = {0}, all = {0};
    soup_box(&left, ct_vec(-1, -1, -1), ct_vec(cut, 1, 1));
    soup_box(&right, ct_vec(cut, -1, -1), ct_vec(1, 1, 1));
    soup_box(&all, ct_vec(-1, -1, -1), ct_vec(1, 1, 1));
    ct_shape l = soup_shape(&left), m = soup_shape(&right), whole = soup_shape(&all);
    double sum = volume_alone(a, pa, l, pb) + volume_alone(a, pa, m, pb);
    CHECK_NEAR(sum, volume_alone(a, pa, whole, pb), 1e-12);
    CHECK_NEAR(volume_alone(a, pa, a, pa), ct_mesh_get(a.mesh)->volume, 1e-12);
    ct_shape_release(&a);
    ct_shape_release(&l);
    ct_shape_release(&m);
    ct_shape_release(&whole);
  }
}

/* All lengths times a power of two: every digit is preserved. */
static void scale_by_powers_of_two_keeps_every_digit(void) {
  check_random r = {56};
  for (int i = 0; i < 20; i++) {
    double by = i % 2 ? 0x1p-20 : 0x1p+20;
    soup s[4] = {{0}};
    for (int k = 0; k < 2; k++) {
      check_random same = {check_next(&r)}, again = same;
      soup_sphere(&s[k], ct_vec(0, 0, 0), 1.0, 9, 12);
      for (uint32_t v = 0; v < s[k].vn; v++)
        s[k].v[v] = ct_scale(s[k].v[v], check_uniform(&same, 0.6, 1.4));
      soup_sphere(&s[2 + k], ct_vec(0, 0, 0), 1.0, 9, 12);
      for (uint32_t v = 0; v < s[k].vn; v++)
        s[2 + k].v[v] = ct_scale(s[2 + k].v[v], by * check_uniform(&again, 0.6, 1.4));
    }
    ct_shape a = soup_shape(&s[0]), b = soup_shape(&s[1]), large_a = soup_shape(&s[2]),
             large_b = soup_shape(&s[3]);
    ct_pose pa = random_pose(&r), pb = random_pose(&r);
    pb.position = ct_add_scaled(pa.position, pb.position, 0.2);
    double volume = volume_alone(a, pa, b, pb);
    pa.position = ct_scale(pa.position, by);
    pb.position = ct_scale(pb.position, by);
    CHECK(volume_alone(large_a, pa, large_b, pb) == volume * by * by * by);
    ct_shape_release(&a);
    ct_shape_release(&b);
    ct_shape_release(&large_a);
    ct_shape_release(&large_b);
  }
}

/* ---- solids inside solids -------------------------------------------------------------------- */

static void cavities_are_outside_and_duplicate_solids_count_twice(void) {
  soup s = {0}, t = {0}, u = {0};
  soup_box(&s, ct_vec(-2, -2, -2), ct_vec(2, 2, 2));
  uint32_t first = s.tn;
  soup_box(&s, ct_vec(-1, -1, -1), ct_vec(1, 1, 1));
  soup_invert(&s, first);
  ct_shape shell = soup_shape(&s);
  soup_box(&t, ct_vec(0, 0, 0), ct_vec(3, 0.5, 0.5));
  ct_shape rod = soup_shape(&t);
  soup_box(&u, ct_vec(-2, -2, -2), ct_vec(2, 2, 2));
  soup_box(&u, ct_vec(-1, -1, -1), ct_vec(1, 1, 1));
  ct_shape twice = soup_shape(&u);
  ct_pose here = ct_pose_identity(), inside = {{-0.25, -0.25, -0.25}, {0, 0, 0, 1}};
  ct_shape dice = {.kind = CT_KIND_BOX, .box.half = {0.5, 0.5, 0.5}};
  CHECK_NEAR(volume_alone(shell, here, rod, here), 0.25, 1e-15);
  CHECK_INT(volume_of(shell, here, dice, inside, CT_WEIGHTING_LINEAR).count, 0);
  CHECK_NEAR(volume_alone(twice, here, rod, here), 0.75, 1e-15);
  ct_volume v = volume_of(twice, here, rod, here, CT_WEIGHTING_LINEAR);
  CHECK(v.count == 1 && v.contacts[0].flags & CT_VOLUME_FLAG_COUNTED_TWICE);
  /* A body inside the other: no surface passes, and the normal is that of the distance. */
  inside.position = ct_vec(1.45, 0, 0);
  dice.box.half = ct_vec(0.25, 0.25, 0.25);
  v = volume_of(shell, here, dice, inside, CT_WEIGHTING_LINEAR);
  CHECK_INT(v.count, 1);
  if (v.count) {
    CHECK_NEAR(v.contacts[0].volume, 0.125, 1e-15);
    CHECK_NEAR(v.contacts[0].area, 0.75, 1e-15);
    CHECK(v.contacts[0].flags & CT_VOLUME_FLAG_NORMAL_FALLBACK);
  }
  ct_shape_release(&shell);
  ct_shape_release(&rod);
  ct_shape_release(&twice);
}

int main(int argc, char **argv) {
  static const check_test tests[] = {
      {"row_17_common_volumes_of_voxel_solids_are_those_of_their_cells",
       row_17_common_volumes_of_voxel_solids_are_those_of_their_cells},
      {"row_17_meshes_of_hulls_answer_as_the_hulls", row_17_meshes_of_hulls_answer_as_the_hulls},
      {"row_17_solids_of_cubes_below_a_plane", row_17_solids_of_cubes_below_a_plane},
      {"row_17_hulls_below_a_plane_are_hulls_in_a_large_box",
       row_17_hulls_below_a_plane_are_hulls_in_a_large_box},
      {"whole_faces_weigh_as_those_of_hulls", whole_faces_weigh_as_those_of_hulls},
      {"a_swap_mirrors_to_the_bit", a_swap_mirrors_to_the_bit},
      {"parts_add_up", parts_add_up},
      {"scale_by_powers_of_two_keeps_every_digit", scale_by_powers_of_two_keeps_every_digit},
      {"cavities_are_outside_and_duplicate_solids_count_twice",
       cavities_are_outside_and_duplicate_solids_count_twice},
  };
  return check_main(argc, argv, tests, sizeof tests / sizeof *tests);
}
