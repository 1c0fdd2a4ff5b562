/* Rays through vertices, along edges and in faces of solids made of grid cells, against their exact
 * passage through the cells.
 *
 * Solids: an L of three cells, random cells with cavities and with cells that share only an edge or
 * a vertex, overlapping boxes. Representations: meshes, surfaces, hexahedra and tetrahedra, in
 * poses of quarter turns; single cells as boxes and hulls. CONTACTD_FULL=1: 10,000 solids from a
 * fresh seed. */
#include "tests/oracle/voxel_cases.h"
#include "tests/support/full.h"
#include "tests/support/scenes.h"

enum { LINES = 40, CROSSINGS_MAX = 64 };

/* The required crossings of a ray. */
typedef struct expected {
  voxel_ratio at[2 * VOXEL_COUNT];
  bool entering[2 * VOXEL_COUNT];
  size_t count;
} expected;

static size_t cross(const ct_ray *ray, const ct_shape *shape, const ct_pose *pose,
                    ct_ray_crossing *out, size_t room) {
  static ct_workspace *workspace;
  if (!workspace) workspace = ct_workspace_create();
  ct_frame frame = ct_frame_of(*pose);
  return ct_ray_cross(ray, (ct_placed){shape, &frame}, workspace, out, room);
}

/* ---- poses that preserve the grid ------------------------------------------------------------ */

typedef struct grid_pose {
  ct_pose pose;
  int64_t turn[3][3];
} grid_pose;

/* Sines and cosines of a quarter turn as a computation gives them: off by the last bit, or by 6e-17
 * from 0. */
static double rounded_off(double x, check_random *r) {
  if (x == 0.0) return (double)case_integer(r, -1, 1) * 6.123e-17;
  return nextafter(x, (double)case_integer(r, -1, 1) * 2.0);
}

/* Up to three quarter turns about axes, up to round-off, and a translation by eighths. */
static grid_pose random_grid_pose(check_random *r) {
  const double half = 0.70710678118654752;
  grid_pose g = {.pose = ct_pose_identity(), .turn = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  for (uint64_t turns = check_next(r) % 4; turns > 0; turns--) {
    int axis = (int)(check_next(r) % 3), u = (axis + 1) % 3, v = (axis + 2) % 3;
    ct_quat q = {axis == 0 ? half : 0.0, axis == 1 ? half : 0.0, axis == 2 ? half : 0.0, half};
    g.pose.rotation = ct_quat_mul(q, g.pose.rotation);
    for (int k = 0; k < 3; k++) {
      int64_t t = g.turn[u][k];
      g.turn[u][k] = -g.turn[v][k];
      g.turn[v][k] = t;
    }
  }
  double *q = &g.pose.rotation.x;
  bool rounded = check_next(r) % 2;
  for (int k = 0; k < 4 && rounded; k++) q[k] = rounded_off(q[k], r);
  if (check_next(r) % 2)
    g.pose.position =
        ct_vec(0.125 * (double)case_integer(r, -99, 99), 0.125 * (double)case_integer(r, -99, 99),
               (double)case_integer(r, -9, 9));
  return g;
}

static ct_vec3 turned(const grid_pose *g, const int64_t v[3]) {
  int64_t p[3];
  for (int k = 0; k < 3; k++)
    p[k] = g->turn[k][0] * v[0] + g->turn[k][1] * v[1] + g->turn[k][2] * v[2];
  return ct_vec((double)p[0], (double)p[1], (double)p[2]);
}

static ct_ray ray_of(const voxel_line *line, const grid_pose *g, double length) {
  return (ct_ray){ct_add(turned(g, line->origin), g->pose.position),
                  ct_scale(turned(g, line->direction), length), INFINITY};
}

/* ---- expected crossings ---------------------------------------------------------------------- */

/* The ends of the spans that are not behind the origin. */
static expected expect(const voxel_solid *v, const voxel_line *line) {
  voxel_span spans[VOXEL_COUNT];
  expected e = {.count = 0};
  int n = voxel_spans(v, line, spans);
  for (int i = 0; i < 2 * n; i++) {
    voxel_ratio at = i % 2 ? spans[i / 2].out : spans[i / 2].in;
    if (at.top < 0) continue;
    e.at[e.count] = at;
    e.entering[e.count++] = i % 2 == 0;
  }
  return e;
}

static double length_of(const voxel_line *line) {
  const int64_t *d = line->direction;
  return sqrt((double)(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]));
}

static void report(const char *what, const voxel_line *line, size_t got, size_t wanted) {
  const int64_t *o = line->origin, *d = line->direction;
  CHECK_FAIL("%s: origin %lld %lld %lld, direction %lld %lld %lld: %zu crossings, should be %zu",
             what, (long long)o[0], (long long)o[1], (long long)o[2], (long long)d[0],
             (long long)d[1], (long long)d[2], got, wanted);
}

/* Compares all crossings, the first alone, and those within a maximum length. */
static void judge(const char *what, const voxel_line *line, const grid_pose *g,
                  const ct_shape *shape, const expected *e, double scale) {
  size_t wanted = e->count;
  ct_ray ray = ray_of(line, g, scale);
  ct_ray_crossing c[CROSSINGS_MAX], first;
  size_t count = cross(&ray, shape, &g->pose, c, CROSSINGS_MAX);
  if (count != wanted) {
    report(what, line, count, wanted);
    return;
  }
  double length = length_of(line);
  for (size_t k = 0; k < count; k++) {
    double distance = length * ((double)e->at[k].top / (double)e->at[k].bottom);
    ct_vec3 on = ct_add_scaled(ray.origin, ray.direction, distance / length / scale);
    CHECK_NEAR(c[k].distance, distance, 1e-14 * (20.0 + distance));
    CHECK_NEAR(ct_norm(ct_sub(c[k].position, on)), 0.0, 1e-14 * (100.0 + distance));
    double along = ct_dot(c[k].normal, ray.direction);
    if (c[k].entering != e->entering[k]) report("entering or leaving", line, k, wanted);
    CHECK(e->entering[k] ? along <= 0.0 : along >= 0.0);
    CHECK(k == 0 || c[k].distance >= c[k - 1].distance);
    CHECK(c[k].status == CT_PAIR_OK);
  }
  CHECK_INT(cross(&ray, shape, &g->pose, &first, 1) > 0, count > 0);
  if (count > 0)
    CHECK(first.distance == c[0].distance && first.entering == c[0].entering &&
          first.triangle == c[0].triangle);
  for (size_t k = 0; k + 1 < count; k++) {
    ct_ray_crossing some[CROSSINGS_MAX];
    ray.reach = 0.5 * (c[k].distance + c[k + 1].distance);
    if (cross(&ray, shape, &g->pose, some, CROSSINGS_MAX) != k + 1)
      report("within a reach", line, k, k + 1);
    else CHECK(some[k].distance == c[k].distance && some[k].entering == c[k].entering);
  }
}

/* ---- kinds of bodies ------------------------------------------------------------------------- */

static void solid_meshes(void) {
  check_random r = full_random("solid meshes", 101);
  int cases = full_cases(250, 10000);
  for (int i = 0; i < cases; i++) {
    voxel_solid v;
    ct_shape shape = {.kind = CT_KIND_MESH, .mesh = voxel_case(&v, &r)};
    for (int k = 0; k < LINES; k++) {
      voxel_line line = voxel_line_case(&r);
      grid_pose g = random_grid_pose(&r);
      expected e = expect(&v, &line);
      judge("solid mesh", &line, &g, &shape, &e, ldexp(1.0, k % 3 ? 0 : k - 20));
    }
    ct_mesh_release(shape.mesh);
  }
}

/* Every ray of the grid around an L of three cells, in every direction of the grid. */
static void every_lattice_ray_through_an_l(void) {
  voxel_solid v = {0};
  soup s = {0};
  check_random r = {7};
  v.cell[0][0][0] = v.cell[1][0][0] = v.cell[0][1][0] = true;
  voxel_boundary(&s, &v, &r);
  ct_shape shape = soup_shape(&s);
  grid_pose g = {.pose = ct_pose_identity(), .turn = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  for (int i = 0; i < 27 * 6 * 6 * 6; i++) {
    voxel_line line = {{2 * (i / 27 % 6 - 1), 2 * (i / 162 % 6 - 1), 2 * (i / 972 - 1)},
                       {i % 3 - 1, i / 3 % 3 - 1, i / 9 % 3 - 1}};
    if (i % 27 == 13) continue;
    expected e = expect(&v, &line);
    judge("L", &line, &g, &shape, &e, 1.0);
  }
  ct_mesh_release(shape.mesh);
}

/* A closed surface has the crossings of the solid, except where a ray runs in a face. */
static void surfaces(void) {
  check_random r = full_random("surfaces", 102);
  int cases = full_cases(100, 10000);
  for (int i = 0; i < cases; i++) {
    voxel_solid v = {0};
    soup s = {0};
    ct_mesh *mesh = NULL;
    for (int k = 0; k < VOXEL_COUNT; k++) (&v.cell[0][0][0])[k] = check_next(&r) % 2;
    v.cell[1][1][1] = true;
    voxel_boundary(&s, &v, &r);
    CHECK_INT(soup_build(&s, CT_MESH_SURFACE, &mesh, NULL), CT_OK);
    soup_free(&s);
    ct_shape shape = {.kind = CT_KIND_MESH, .mesh = mesh};
    for (int k = 0; k < LINES; k++) {
      voxel_line line = voxel_line_case(&r);
      grid_pose g = random_grid_pose(&r);
      if (voxel_in_a_plane(&line)) continue;
      expected e = expect(&v, &line);
      judge("surface", &line, &g, &shape, &e, 1.0);
    }
    ct_mesh_release(mesh);
  }
}

/* The cells as hexahedra, or each as six tetrahedra about its diagonal. */
static ct_elements *elements_of(const voxel_solid *v, bool tetrahedra) {
  static const uint32_t turns[6][3] = {{1, 2, 4}, {2, 4, 1}, {4, 1, 2},
                                       {1, 4, 2}, {2, 1, 4}, {4, 2, 1}};
  static const uint32_t round_base[8] = {0, 1, 3, 2, 4, 5, 7, 6};
  soup s = {0};
  uint32_t corners[VOXEL_COUNT * 24], count = 0;
  for (int i = 0; i < VOXEL_COUNT; i++) {
    if (!(&v->cell[0][0][0])[i]) continue;
    uint32_t base = s.vn;
    for (int k = 0; k < 8; k++)
      soup_vertex(&s,
                  ct_vec(VOXEL_WIDTH * (i / 9 + (k & 1)), VOXEL_WIDTH * (i / 3 % 3 + (k >> 1 & 1)),
                         VOXEL_WIDTH * (i % 3 + (k >> 2))));
    for (int k = 0; k < 8 && !tetrahedra; k++) corners[count++] = base + round_base[k];
    for (int k = 0; k < 6 && tetrahedra; k++) {
      const uint32_t *t = turns[k];
      uint32_t first = base + t[0], second = base + t[0] + t[1];
      corners[count++] = base;
      corners[count++] = k < 3 ? first : second;
      corners[count++] = k < 3 ? second : first;
      corners[count++] = base + 7;
    }
  }
  ct_elements *elements = NULL;
  const ct_elements_data data = {.type = tetrahedra ? CT_TETRAHEDRA : CT_HEXAHEDRA,
                                 .vertices = s.v,
                                 .vertex_count = s.vn,
                                 .corners = corners,
                                 .element_count = count / (tetrahedra ? 4 : 8)};
  CHECK_INT(ct_elements_create(&data, NULL, &elements, NULL), CT_OK);
  soup_free(&s);
  return elements;
}

static void elements(void) {
  check_random r = full_random("elements", 103);
  int cases = full_cases(40, 2000);
  for (int i = 0; i < cases; i++) {
    voxel_solid v = {0};
    for (int k = 0; k < VOXEL_COUNT; k++) (&v.cell[0][0][0])[k] = check_next(&r) % 2;
    v.cell[1][1][1] = true;
    ct_elements *made = elements_of(&v, i % 2 == 0);
    ct_shape shape = {.kind = i % 2 == 0 ? CT_KIND_TETMESH : CT_KIND_HEXMESH,
                      .elements = made,
                      .mesh = ct_elements_get(made)->surface};
    for (int k = 0; k < LINES; k++) {
      voxel_line line = voxel_line_case(&r);
      grid_pose g = random_grid_pose(&r);
      expected e = expect(&v, &line);
      judge("elements", &line, &g, &shape, &e, 1.0);
    }
    ct_elements_release(made);
  }
}

/* One cell as a box, as a hull and as a mesh. */
static void convex_bodies(void) {
  check_random r = full_random("convex bodies", 104);
  int cases = full_cases(4000, 100000);
  voxel_solid v = {0};
  ct_hull *hull = NULL;
  ct_vec3 corners[8];
  for (int k = 0; k < 8; k++)
    corners[k] = ct_vec(VOXEL_WIDTH * (k & 1), VOXEL_WIDTH * (k >> 1 & 1), VOXEL_WIDTH * (k >> 2));
  CHECK_INT(ct_hull_from_points(corners, 8, NULL, &hull, NULL), CT_OK);
  v.cell[0][0][0] = true;
  const ct_shape box = box_of(1.0, 1.0, 1.0), convex = {.kind = CT_KIND_CONVEX, .hull = hull};
  for (int i = 0; i < cases; i++) {
    voxel_line line = voxel_line_case(&r), to_middle = line;
    grid_pose g = random_grid_pose(&r);
    expected e = expect(&v, &line);
    judge("hull", &line, &g, &convex, &e, 1.0);
    for (int k = 0; k < 3; k++) to_middle.origin[k] -= 1;
    judge("box", &to_middle, &g, &box, &e, 1.0);
  }
  ct_hull_release(hull);
}

/* A cylinder, or a cone with a side steeper than any ray: radius middle + slope z for z between -2
 * and 2. */
typedef struct lathe {
  long double middle, slope;
} lathe;

/* The span of the line in the closed body, in long double; false: empty, or the direction is
 * steeper than the side. */
static bool lathe_span(const lathe *body, const voxel_line *line, long double span[2]) {
  long double ox = line->origin[0], oy = line->origin[1], oz = line->origin[2];
  long double dx = line->direction[0], dy = line->direction[1], dz = line->direction[2];
  long double at = body->middle + body->slope * oz, growth = body->slope * dz;
  long double a = dx * dx + dy * dy - growth * growth, b = at * growth - ox * dx - oy * dy;
  long double c = ox * ox + oy * oy - at * at, root = sqrtl(fmaxl(b * b - a * c, 0));
  if (a <= 0 || root < 1e-6L || (dz == 0 && fabsl(oz) > 2)) return false;
  span[0] = (b - root) / a;
  span[1] = (b + root) / a;
  if (dz == 0) return true;
  span[0] = fmaxl(span[0], fminl((-2 - oz) / dz, (2 - oz) / dz));
  span[1] = fminl(span[1], fmaxl((-2 - oz) / dz, (2 - oz) / dz));
  return true;
}

/* From an integer point, or the target itself, to an integer point of the rim of radius 5. */
static voxel_line rim_line(check_random *r, int64_t height, bool from_it) {
  static const int64_t rim[12][2] = {{5, 0},  {4, 3},   {3, 4},   {0, 5},  {-3, 4}, {-4, 3},
                                     {-5, 0}, {-4, -3}, {-3, -4}, {0, -5}, {3, -4}, {4, -3}};
  const int64_t *on = rim[check_next(r) % 12], target[3] = {on[0], on[1], height};
  voxel_line line;
  do {
    for (int k = 0; k < 3; k++) {
      line.origin[k] = case_integer(r, -7, 7);
      line.direction[k] = target[k] - line.origin[k];
      if (from_it) line.origin[k] = target[k];
    }
  } while (!line.direction[0] && !line.direction[1] && !line.direction[2]);
  return line;
}

/* Lattice rays cross by far more than round-off or touch. */
static void rims(void) {
  check_random r = full_random("rims", 107);
  int cases = full_cases(4000, 100000);
  for (int i = 0; i < cases; i++) {
    bool cone = i % 2;
    ct_shape shape = {.kind = CT_KIND_CYLINDER, .cylinder = {.radius = 5.0, .half_length = 2.0}};
    const ct_shape tapered = {
        .kind = CT_KIND_CONE,
        .cone = {.radius_bottom = 5.0, .radius_top = 1.0, .half_length = 2.0}};
    if (cone) shape = tapered;
    const lathe body = {cone ? 3.0L : 5.0L, cone ? -1.0L : 0.0L};
    voxel_line line = rim_line(&r, cone || i % 4 < 2 ? -2 : 2, i % 8 < 2);
    grid_pose g = random_grid_pose(&r);
    ct_ray ray = ray_of(&line, &g, 1.0);
    long double span[2];
    if (!lathe_span(&body, &line, span)) continue;
    bool contacts = span[1] - span[0] < 1e-12L;
    if (!contacts && span[1] - span[0] < 1e-6L) continue;
    ct_ray_crossing found[2];
    size_t count = cross(&ray, &shape, &g.pose, found, 2), wanted = 0;
    for (int k = 0; k < 2 && !contacts; k++) {
      if (span[k] < -1e-12L) continue;
      if (wanted < count) {
        CHECK_NEAR(found[wanted].distance, length_of(&line) * (double)span[k], 1e-12);
        CHECK(found[wanted].entering == (k == 0));
      }
      wanted++;
    }
    if (count != wanted) report("rim", &line, count, wanted);
  }
}

/* Grid points, including those on the surface: containment, and the sign of the distance. */
static void points(void) {
  check_random r = full_random("points", 105);
  int cases = full_cases(60, 10000);
  for (int i = 0; i < cases; i++) {
    voxel_solid v;
    ct_mesh *mesh = voxel_case(&v, &r);
    for (int k = 0; k < 60; k++) {
      int64_t p[3];
      for (int a = 0; a < 3; a++) p[a] = case_integer(&r, -1, VOXEL_WIDTH * VOXEL_SIDE + 1);
      CHECK(ct_mesh_contains(mesh, ct_vec((double)p[0], (double)p[1], (double)p[2])) ==
            voxel_holds(&v, p));
    }
    ct_mesh_release(mesh);
  }
}

enum { POINTS = 60 };

static bool mark_held(void *context, const ct_probe_hit *hit) {
  bool *held = context;
  held[hit->item] = hit->distance <= 0.0;
  return true;
}

/* The same for a body in a scene: containment by `point`, and the sign of `nearest`. */
static void points_of_a_scene(void) {
  check_random r = full_random("points of a scene", 108);
  ct_workspace *workspace = ct_workspace_create();
  int cases = full_cases(60, 2000);
  for (int i = 0; i < cases; i++) {
    voxel_solid v;
    ct_shape shape = {.kind = CT_KIND_MESH, .mesh = voxel_case(&v, &r)};
    grid_pose g = random_grid_pose(&r);
    const ct_scene *empty = ct_scene_create(1);
    ct_draft *draft = ct_draft_begin(empty);
    ct_vec3 points[POINTS];
    bool wanted[POINTS];
    add_shape(draft, "solid", shape, g.pose);
    const ct_scene *scene = seal(draft, empty);
    for (int k = 0; k < POINTS; k++) {
      int64_t p[3];
      for (int a = 0; a < 3; a++) p[a] = case_integer(&r, -1, VOXEL_WIDTH * VOXEL_SIDE + 1);
      points[k] = ct_add(turned(&g, p), g.pose.position);
      wanted[k] = voxel_holds(&v, p);
    }
    for (int nearest = 0; nearest < 2; nearest++) {
      bool held[POINTS] = {false};
      const ct_probe_options options = {.kind = nearest ? CT_PROBE_NEAREST : CT_PROBE_POINT,
                                        .points = points,
                                        .count = POINTS,
                                        .nearest = 1,
                                        .reach = INFINITY};
      const ct_query_range range = {.begin = 0, .end = POINTS, .after = CT_NO_ROW};
      ct_probe *probe = NULL;
      CHECK_INT(ct_probe_prepare(scene, &options, &probe), CT_OK);
      CHECK_INT(ct_probe_run(probe, &range, workspace, mark_held, held), CT_OK);
      ct_probe_destroy(probe);
      for (int k = 0; k < POINTS; k++) CHECK(held[k] == wanted[k]);
    }
    ct_scene_release(scene);
    ct_mesh_release(shape.mesh);
  }
  ct_workspace_destroy(workspace);
}

/* In a generic pose the ray is one exact line in the mesh's frame: every entry has its exit. */
static void any_pose(void) {
  check_random r = full_random("any pose", 106);
  int cases = full_cases(150, 10000);
  for (int i = 0; i < cases; i++) {
    voxel_solid v;
    ct_shape shape = {.kind = CT_KIND_MESH, .mesh = voxel_case(&v, &r)};
    for (int k = 0; k < LINES; k++) {
      voxel_line line = voxel_line_case(&r);
      ct_pose pose = {case_vec(&r, -9, 9), random_rotation(&r)};
      ct_frame frame = ct_frame_of(pose);
      ct_vec3 from = ct_vec((double)line.origin[0], (double)line.origin[1], (double)line.origin[2]);
      ct_vec3 way =
          ct_vec((double)line.direction[0], (double)line.direction[1], (double)line.direction[2]);
      ct_ray ray = {ct_to_parent(frame, ct_add_scaled(from, way, -16.0)),
                    ct_mat_mul(frame.rotation, way), INFINITY};
      ct_ray_crossing c[CROSSINGS_MAX];
      size_t count = cross(&ray, &shape, &pose, c, CROSSINGS_MAX);
      CHECK(count % 2 == 0);
      for (size_t n = 0; n < count; n++)
        CHECK(c[n].entering == (n % 2 == 0) && (n == 0 || c[n].distance >= c[n - 1].distance));
    }
    ct_mesh_release(shape.mesh);
  }
}

static const check_test tests[] = {
    {"every lattice ray through an L of three cells has its exact crossings",
     every_lattice_ray_through_an_l},
    {"rays through vertices, edges and faces of solid meshes have their exact crossings",
     solid_meshes},
    {"rays through vertices and edges of closed surfaces have their exact crossings", surfaces},
    {"rays through vertices, edges and faces of elements have their exact crossings", elements},
    {"rays through vertices, edges and faces of boxes and hulls have their exact crossings",
     convex_bodies},
    {"rays through rims of cylinders and cones cross or touch", rims},
    {"points on vertices, edges and faces are in a solid", points},
    {"points on a body's vertices, edges and faces are held when turned", points_of_a_scene},
    {"a solid in any pose is left as often as it is entered", any_pose},
};

CHECK_MAIN(tests)
