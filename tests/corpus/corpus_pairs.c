/* Distances, bounds, witness points and overlaps of the reference corpus: every pair of kinds that
 * the engine supports, none excluded.
 *
 * Checks per case, in units of the allowance k scale + 8 eps max|position| (eps = 2^-52; k = 1e-12
 * apart, 1e-10 in depth; for curved bodies, except against half-spaces, 1e-10 and 1e-8): distance
 * against the truth, bracket around the truth and no wider than 2 k scale, points on their shapes
 * and joined by distance * normal, and extreme along the normal; normal unit to 4 eps; the same
 * distance swapped; overlap where it is defined. For tetmeshes against each other, convex bodies
 * and half-spaces: distance, bracket, the points' distance, swap and overlap alike; where they
 * overlap, the depth of the deepest pair of elements and the number of overlapping pairs. Usage:
 * corpus_pairs [file.jsonl]; without a file $CONTACTD_CORPUS/pairs.jsonl,
 * ../shared/corpus/pairs.jsonl, or the synthetic cases stored beside this program. Prints a table
 * of the worst errors by pair of kinds and by category. */
#include <contact/contact.h>

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROWS_MAX 128
#define EPSILON 0x1p-52

typedef struct body {
  ct_shape shape;
  ct_frame frame;
  double size, position;
} body;

typedef struct row {
  char name[64];
  int cases;
  double distance, bracket, points, normal;
} row;

static row rows[ROWS_MAX];
static int row_count, failed, passed;

static ct_vec3 vec3_of(const json_t *a) {
  return ct_vec(json_number_value(json_array_get(a, 0)), json_number_value(json_array_get(a, 1)),
                json_number_value(json_array_get(a, 2)));
}

static bool read_convex(const json_t *s, body *b) {
  const json_t *vertices = json_object_get(s, "vertices");
  size_t n = json_array_size(vertices);
  ct_vec3 *points = calloc(n, sizeof *points);
  if (!points) return false;
  for (size_t i = 0; i < n; i++) points[i] = vec3_of(json_array_get(vertices, i));
  ct_hull *hull = NULL;
  ct_status status = ct_hull_from_points(points, n, NULL, &hull, NULL);
  free(points);
  b->shape = (ct_shape){.kind = CT_KIND_CONVEX, .hull = hull};
  return status == CT_OK;
}

static bool read_tetmesh(const json_t *s, body *b) {
  const json_t *vertices = json_object_get(s, "vertices"),
               *tetrahedra = json_object_get(s, "tetrahedra");
  size_t n = json_array_size(vertices), count = json_array_size(tetrahedra);
  ct_vec3 *points = calloc(n, sizeof *points);
  uint32_t *corners = calloc(4 * count, sizeof *corners);
  ct_elements *elements = NULL;
  if (!points || !corners) abort();
  for (size_t i = 0; i < n; i++) points[i] = vec3_of(json_array_get(vertices, i));
  for (size_t i = 0; i < 4 * count; i++)
    corners[i] =
        (uint32_t)json_integer_value(json_array_get(json_array_get(tetrahedra, i / 4), i % 4));
  ct_elements_data data = {
      .vertices = points, .vertex_count = n, .corners = corners, .element_count = count};
  ct_status status = ct_elements_create(&data, NULL, &elements, NULL);
  if (status == CT_OK) b->shape = ct_shape_of_elements(elements);
  free(points);
  free(corners);
  return status == CT_OK;
}

/* Reads a body. False for meshes, which test_mesh_corpus covers. */
static bool read_body(const json_t *j, body *b) {
  const json_t *s = json_object_get(j, "shape"), *pose = json_object_get(j, "pose");
  const char *type = json_string_value(json_object_get(s, "type"));
  double radius = json_number_value(json_object_get(s, "radius")),
         half = json_number_value(json_object_get(s, "half_length"));
  const json_t *q = json_object_get(pose, "orientation");
  double w[4];
  for (size_t i = 0; i < 4; i++) w[i] = json_number_value(json_array_get(q, i));
  b->frame =
      ct_frame_of((ct_pose){vec3_of(json_object_get(pose, "position")), {w[1], w[2], w[3], w[0]}});
  b->position = ct_max_abs(b->frame.position);
  if (strcmp(type, "sphere") == 0) {
    b->shape = (ct_shape){.kind = CT_KIND_SPHERE, .sphere = {radius}};
  } else if (strcmp(type, "box") == 0) {
    b->shape =
        (ct_shape){.kind = CT_KIND_BOX, .box = {vec3_of(json_object_get(s, "half_extents"))}};
  } else if (strcmp(type, "capsule") == 0) {
    b->shape = (ct_shape){.kind = CT_KIND_CAPSULE, .capsule = {half, radius, radius}};
  } else if (strcmp(type, "cylinder") == 0) {
    b->shape = (ct_shape){.kind = CT_KIND_CYLINDER, .cylinder = {radius, half}};
  } else if (strcmp(type, "cone") == 0) {
    b->shape = (ct_shape){.kind = CT_KIND_CONE, .cone = {half, radius, 0.0}};
  } else if (strcmp(type, "ellipsoid") == 0) {
    b->shape =
        (ct_shape){.kind = CT_KIND_ELLIPSOID, .ellipsoid = {vec3_of(json_object_get(s, "radii"))}};
  } else if (strcmp(type, "half_space") == 0) {
    b->shape = (ct_shape){.kind = CT_KIND_PLANE};
  } else if (strcmp(type, "convex") == 0) {
    return read_convex(s, b);
  } else if (strcmp(type, "tetmesh") == 0) {
    return read_tetmesh(s, b);
  } else {
    return false;
  }
  return true;
}

static void release(const body *b) { ct_shape_release(&b->shape); }

/* Signed distance of a world point to the body, positive outside. */
static double outside(const body *b, ct_vec3 world) {
  ct_vec3 p = ct_to_local(b->frame, world);
  switch (b->shape.kind) {
  case CT_KIND_SPHERE: return ct_norm(p) - b->shape.sphere.radius;
  case CT_KIND_BOX: {
    ct_vec3 h = b->shape.box.half;
    return ct_max2(ct_max2(fabs(p.x) - h.x, fabs(p.y) - h.y), fabs(p.z) - h.z);
  }
  case CT_KIND_CAPSULE: {
    double z = ct_max2(fabs(p.z) - b->shape.capsule.half_length, 0.0);
    return ct_norm(ct_vec(p.x, p.y, z)) - b->shape.capsule.radius_bottom;
  }
  case CT_KIND_CYLINDER:
    return ct_max2(fabs(p.z) - b->shape.cylinder.half_length,
                   ct_norm(ct_vec(p.x, p.y, 0.0)) - b->shape.cylinder.radius);
  case CT_KIND_CONE: {
    double h = b->shape.cone.half_length, r = b->shape.cone.radius_bottom,
           slant = ct_norm(ct_vec(r, 2.0 * h, 0.0));
    return ct_max2(-h - p.z, (2.0 * h * ct_norm(ct_vec(p.x, p.y, 0.0)) + r * (p.z - h)) / slant);
  }
  case CT_KIND_ELLIPSOID: {
    ct_vec3 s = b->shape.ellipsoid.radii, q = {p.x / s.x, p.y / s.y, p.z / s.z};
    double level = ct_norm(q), steep = ct_norm(ct_vec(q.x / s.x, q.y / s.y, q.z / s.z));
    return steep > 0.0 ? level * (level - 1.0) / steep : -1.0;
  }
  case CT_KIND_PLANE: return p.z;
  default: break;
  }
  const ct_hull_view *v = ct_hull_get(b->shape.hull);
  double far = -INFINITY;
  for (uint32_t i = 0; i < v->face_count; i++)
    far = ct_max2(far, v->nx[i] * p.x + v->ny[i] * p.y + v->nz[i] * p.z - v->offset[i]);
  return far;
}

/* Signed distance of a world point to the body's tangent plane with normal n, positive outside. */
static double off_tangent(const body *b, ct_vec3 world, ct_vec3 n) {
  if (b->shape.kind == CT_KIND_PLANE) return ct_to_local(b->frame, world).z;
  ct_vec3 d = ct_mat_tmul(b->frame.rotation, n), p = ct_to_local(b->frame, world);
  return ct_dot(d, ct_sub(p, ct_shape_support(&b->shape, d)));
}

static row *row_named(const char *name) {
  for (int i = 0; i < row_count; i++)
    if (strcmp(rows[i].name, name) == 0) return &rows[i];
  if (row_count == ROWS_MAX) abort();
  snprintf(rows[row_count].name, sizeof rows[0].name, "%s", name);
  return &rows[row_count++];
}

static void note(const char *name, const row *errors) {
  row *r = row_named(name);
  r->cases++;
  r->distance = ct_max2(r->distance, errors->distance);
  r->bracket = ct_max2(r->bracket, errors->bracket);
  r->points = ct_max2(r->points, errors->points);
  r->normal = ct_max2(r->normal, errors->normal);
}

typedef struct expected {
  const char *id, *category;
  double distance, scale;
  const json_t *overlap;
} expected;

static bool curved(const body *b) {
  return b->shape.kind == CT_KIND_CYLINDER || b->shape.kind == CT_KIND_CONE ||
         b->shape.kind == CT_KIND_ELLIPSOID;
}

/* The factor k: closed forms and polytopes, then curved bodies except against half-spaces. */
static double allowance_factor(const body *a, const body *b, double distance) {
  bool plane = a->shape.kind == CT_KIND_PLANE || b->shape.kind == CT_KIND_PLANE;
  if (plane || !(curved(a) || curved(b))) return distance > 0.0 ? 1e-12 : 1e-10;
  return distance > 0.0 ? 1e-10 : 1e-8;
}

static void judge(const expected *e, const body *a, const body *b, ct_workspace *workspace) {
  ct_pair_options options = {.tolerance = 0.0, .threshold = INFINITY};
  ct_pair_result r, swapped;
  ct_pair_distance((ct_placed){&a->shape, &a->frame}, (ct_placed){&b->shape, &b->frame}, &options,
                   workspace, &r);
  ct_pair_distance((ct_placed){&b->shape, &b->frame}, (ct_placed){&a->shape, &a->frame}, &options,
                   workspace, &swapped);
  ct_vec3 common;
  bool overlap = ct_pair_overlap((ct_placed){&a->shape, &a->frame},
                                 (ct_placed){&b->shape, &b->frame}, workspace, &common);
  double k = allowance_factor(a, b, e->distance),
         round = 8.0 * EPSILON * ct_max2(a->position, b->position);
  double allowance = k * e->scale + round;
  row w = {.cases = 1};
  w.distance = fabs(r.distance - e->distance) / allowance;
  w.bracket = ct_max2(r.lower_bound - e->distance, e->distance - r.upper_bound) / allowance;
  w.bracket = ct_max2(w.bracket, (r.upper_bound - r.lower_bound) / (2.0 * k * e->scale));
  ct_vec3 gap = ct_sub(ct_sub(r.point_b, r.point_a), ct_scale(r.normal, r.distance));
  w.points = ct_norm(gap) / allowance;
  w.points = ct_max2(w.points, ct_max2(outside(a, r.point_a), outside(b, r.point_b)) / allowance);
  w.points = ct_max2(w.points, fabs(off_tangent(a, r.point_a, r.normal)) / allowance);
  w.points = ct_max2(w.points, fabs(off_tangent(b, r.point_b, ct_neg(r.normal))) / allowance);
  w.normal = fabs(ct_norm(r.normal) - 1.0) / (4.0 * EPSILON);
  char pair[64];
  ct_kind low = a->shape.kind < b->shape.kind ? a->shape.kind : b->shape.kind,
          high = a->shape.kind ^ b->shape.kind ^ low;
  snprintf(pair, sizeof pair, "%s/%s", ct_kind_word(low), ct_kind_word(high));
  note(pair, &w);
  char category[64];
  snprintf(category, sizeof category, "  %s", e->category);
  note(category, &w);
  note("~ all", &w);
  bool ok = w.distance <= 1.0 && w.bracket <= 1.0 && w.points <= 1.0 && w.normal <= 1.0 &&
            r.status == CT_PAIR_OK;
  bool mirrored = swapped.distance == r.distance && swapped.normal.x == -r.normal.x &&
                  swapped.point_a.x == r.point_b.x && swapped.normal.y == -r.normal.y &&
                  swapped.normal.z == -r.normal.z && swapped.lower_bound == r.lower_bound;
  if (memcmp(&a->frame, &b->frame, sizeof a->frame) == 0) mirrored = swapped.distance == r.distance;
  bool yes = json_is_null(e->overlap) ||
             (overlap == json_is_true(e->overlap) && (r.distance <= 0.0) == overlap);
  bool shared = !overlap || ct_max2(outside(a, common), outside(b, common)) <= allowance;
  if (ok && mirrored && yes && shared) {
    passed++;
    return;
  }
  failed++;
  printf("FAILED %s %s %s: distance %.17g truth %.17g [%.17g %.17g] errors %.3g %.3g %.3g "
         "%.3g%s%s%s status %d supports %u\n",
         e->id, e->category, pair, r.distance, e->distance, r.lower_bound, r.upper_bound,
         w.distance, w.bracket, w.points, w.normal, mirrored ? "" : " not mirrored",
         yes ? "" : " overlap wrong", shared ? "" : " common point outside", (int)r.status,
         r.iterations);
}

/* Checks a pair with a tetmesh. corpus/tetmeshes.py checks that the witness points are on the
 * surfaces, in 60 digits. */
static void judge_elements(const expected *e, const json_t *expect, const body *a, const body *b,
                           ct_workspace *workspace) {
  ct_pair_options options = {.tolerance = 0.0, .threshold = INFINITY};
  ct_pair_result r, swapped;
  ct_placed p = {&a->shape, &a->frame}, q = {&b->shape, &b->frame};
  ct_pair_distance(p, q, &options, workspace, &r);
  ct_pair_distance(q, p, &options, workspace, &swapped);
  const json_t *depth = json_object_get(expect, "deepest_element_pair_depth"),
               *apart = json_object_get(expect, "distance");
  double truth = depth ? -json_number_value(depth) : apart ? json_number_value(apart) : e->distance;
  double k = allowance_factor(a, b, truth),
         allowance = k * e->scale + 8.0 * EPSILON * ct_max2(a->position, b->position);
  uint32_t pairs =
      (uint32_t)json_integer_value(json_object_get(expect, "overlapping_element_pairs"));
  row w = {.cases = 1, .distance = fabs(r.distance - truth) / allowance};
  w.bracket = ct_max2(r.lower_bound - truth, truth - r.upper_bound) / allowance;
  w.bracket = ct_max2(w.bracket, (r.upper_bound - r.lower_bound) / (2.0 * k * e->scale));
  w.points =
      ct_norm(ct_sub(ct_sub(r.point_b, r.point_a), ct_scale(r.normal, r.distance))) / allowance;
  w.normal = fabs(ct_norm(r.normal) - 1.0) / (4.0 * EPSILON);
  char pair[64];
  snprintf(pair, sizeof pair, "%s/%s",
           ct_kind_word(a->shape.kind < b->shape.kind ? a->shape.kind : b->shape.kind),
           ct_kind_word(a->shape.kind < b->shape.kind ? b->shape.kind : a->shape.kind));
  note(pair, &w);
  note("~ all", &w);
  bool overlap = ct_pair_overlap(p, q, workspace, NULL);
  bool good = w.distance <= 1.0 && w.bracket <= 1.0 && w.points <= 1.0 && w.normal <= 1.0 &&
              r.status == CT_PAIR_OK;
  bool counted = r.element_pairs == pairs && (r.depth_kind == CT_DEPTH_ELEMENT) == (depth != NULL);
  bool mirrored = swapped.distance == r.distance && swapped.element_a == r.element_b &&
                  swapped.element_pairs == r.element_pairs && swapped.point_a.x == r.point_b.x &&
                  swapped.lower_bound == r.lower_bound;
  bool yes = (r.distance <= 0.0) == overlap &&
             (json_is_null(e->overlap) || overlap == json_is_true(e->overlap));
  passed += good && counted && mirrored && yes;
  if (good && counted && mirrored && yes) return;
  failed++;
  printf("FAILED %s %s: distance %.17g truth %.17g [%.17g %.17g] pairs %u of %u%s%s\n", e->id, pair,
         r.distance, truth, r.lower_bound, r.upper_bound, r.element_pairs, pairs,
         mirrored ? "" : " not mirrored", yes ? "" : " overlap wrong");
}

static void run_case(const json_t *j, ct_workspace *workspace) {
  body a = {0}, b = {0};
  bool known_a = read_body(json_object_get(j, "a"), &a),
       known_b = read_body(json_object_get(j, "b"), &b), known = known_a && known_b;
  const json_t *expect = json_object_get(j, "expect");
  if (known) {
    expected e = {.id = json_string_value(json_object_get(j, "id")),
                  .category = json_string_value(json_object_get(j, "category")),
                  .distance = json_number_value(json_object_get(expect, "signed_distance")),
                  .scale = json_number_value(json_object_get(j, "scale")),
                  .overlap = json_object_get(expect, "overlap")};
    bool elements = ct_kind_has_elements(a.shape.kind) || ct_kind_has_elements(b.shape.kind);
    if (elements) judge_elements(&e, expect, &a, &b, workspace);
    else judge(&e, &a, &b, workspace);
  }
  release(&a);
  release(&b);
}

static int by_name(const void *p, const void *q) {
  return strcmp(((const row *)p)->name, ((const row *)q)->name);
}

static FILE *open_corpus(int argc, char **argv) {
  if (argc > 1) return fopen(argv[1], "r");
  char path[4096];
  const char *folder = getenv("CONTACTD_CORPUS");
  snprintf(path, sizeof path, "%s/pairs.jsonl", folder ? folder : "../shared/corpus");
  FILE *file = fopen(path, "r");
  return file ? file : fopen("tests/corpus/synthetic_pairs.jsonl", "r");
}

int main(int argc, char **argv) {
  FILE *file = open_corpus(argc, argv);
  ct_workspace *workspace = ct_workspace_create();
  if (!file || !workspace) {
    fprintf(stderr, "corpus_pairs: no corpus file\n");
    return 2;
  }
  char *line = NULL;
  size_t room = 0;
  while (getline(&line, &room, file) > 0) {
    json_t *j = json_loads(line, 0, NULL);
    if (j) run_case(j, workspace);
    json_decref(j);
  }
  free(line);
  fclose(file);
  ct_workspace_destroy(workspace);
  qsort(rows, (size_t)row_count, sizeof rows[0], by_name);
  printf("%-20s %6s  worst error, 1 = allowed\n%-20s %6s %10s %10s %10s %10s\n", "", "",
         "pair / category", "cases", "distance", "bracket", "points", "normal");
  for (int i = 0; i < row_count; i++)
    printf("%-20s %6d %10.2e %10.2e %10.2e %10.2e\n", rows[i].name, rows[i].cases, rows[i].distance,
           rows[i].bracket, rows[i].points, rows[i].normal);
  printf("%d passed, %d failed, 0 skipped\n", passed, failed);
  return failed != 0;
}
