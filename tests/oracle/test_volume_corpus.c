/* Volumetric contacts of convex polyhedra against the reference corpus (intersections.jsonl: volume
 * and centroid in exact rationals, areas in 256 bits).
 *
 * The file is $CONTACTD_CORPUS/intersections.jsonl or ../shared/corpus/intersections.jsonl. Without
 * a file its fact is skipped, the runner permits skipping only then, and only the synthetic cases
 * in the tree are tested. Permitted errors, with s the sum of the bounding radii: volume 1e-10 s^3,
 * areas 1e-10 s^2, points 1e-10 s, normals 1e-9 + 1e-13 surface / |N| rad (whole faces squared:
 * surface^2), gaps 1e-9 s + their width times that angle. */
#include "tests/support/check.h"

#include <contact/volume.h>

#include <jansson.h>

typedef struct placed {
  ct_shape shape;
  ct_frame frame;
} placed;

/* Worst errors in units of the permitted error, one row per quantity. */
enum { VOLUME, CENTROID, AREA, POINT, LINEAR, FACES, EXTENT, GAP, QUANTITIES };
static const char *const quantity_name[QUANTITIES] = {"volume", "centroid",    "area",   "position",
                                                      "linear", "squaredFace", "rawGap", "gap"};

static FILE *corpus(void) {
  char path[4096];
  const char *folder = getenv("CONTACTD_CORPUS");
  snprintf(path, sizeof path, "%s/intersections.jsonl", folder ? folder : "../shared/corpus");
  return fopen(path, "r");
}

static double number_at(const json_t *array, size_t i) {
  return json_number_value(json_array_get(array, i));
}
static double number_of(const json_t *object, const char *key) {
  return json_number_value(json_object_get(object, key));
}
static ct_vec3 vector_of(const json_t *a) {
  return ct_vec(number_at(a, 0), number_at(a, 1), number_at(a, 2));
}

static placed read_body(const json_t *j) {
  placed p = {.shape = {.kind = CT_KIND_CONVEX}};
  const json_t *vertices = json_object_get(json_object_get(j, "shape"), "vertices"),
               *pose = json_object_get(j, "pose");
  const json_t *q = json_object_get(pose, "orientation");
  size_t n = json_array_size(vertices);
  ct_vec3 *points = calloc(n ? n : 1, sizeof *points);
  ct_hull *hull = NULL;
  for (size_t i = 0; i < n; i++) points[i] = vector_of(json_array_get(vertices, i));
  if (ct_hull_from_points(points, n, NULL, &hull, NULL) != CT_OK) CHECK_FAIL("no hull");
  free(points);
  p.shape.hull = hull;
  p.frame =
      ct_frame_of((ct_pose){vector_of(json_object_get(pose, "position")),
                            {number_at(q, 1), number_at(q, 2), number_at(q, 3), number_at(q, 0)}});
  return p;
}

static double angle_between(ct_vec3 p, ct_vec3 q) {
  return atan2(ct_norm(ct_cross(p, q)), ct_dot(p, q));
}

typedef struct scoring {
  const json_t *expect;
  double scale, error[QUANTITIES];
} scoring;

static void score(scoring *s, int quantity, double error, double allowed) {
  s->error[quantity] = ct_max2(s->error[quantity], error / allowed);
}

/* The normal of a weighting and the gaps along it. */
static void score_normal(scoring *s, int quantity, const ct_volume_contact *c, const char *words[3],
                         double surface) {
  const json_t *truth = json_object_get(s->expect, words[0]),
               *gaps = json_object_get(s->expect, words[2]);
  double sum = ct_norm(vector_of(json_object_get(s->expect, words[1])));
  if (json_is_null(truth) || !(sum > 0.0)) return;
  double allowed = 1e-9 + 1e-13 * surface / sum, width = fabs(number_of(gaps, "extent"));
  score(s, quantity, angle_between(c->normal, vector_of(truth)), allowed);
  if (allowed > 1.0) return;
  score(s, EXTENT, fabs(c->raw_gap - number_of(gaps, "extent")), 1e-9 * s->scale + width * allowed);
  score(s, GAP, fabs(c->gap - number_of(gaps, "translated")), 1e-9 * s->scale + width * allowed);
}

static bool run_query(const placed *a, const placed *b, ct_weighting weighting,
                      ct_volume_method method, ct_workspace *workspace, ct_volume_contact *out) {
  ct_volume_options options = {.weighting = weighting, .method = method};
  ct_volume v;
  ct_pair_volume((ct_placed){&a->shape, &a->frame}, (ct_placed){&b->shape, &b->frame}, &options,
                 workspace, &v);
  if (v.count != 1 || v.failed || v.status != CT_PAIR_OK) return false;
  *out = v.contacts[0];
  return out->status == CT_PAIR_OK;
}

static bool score_case(scoring *s, const placed *a, const placed *b, ct_volume_method method,
                       ct_workspace *workspace) {
  double k = s->scale, surface = number_of(s->expect, "surface_area");
  ct_volume_contact c, faces;
  if (!run_query(a, b, CT_WEIGHTING_LINEAR, method, workspace, &c)) return false;
  if (!run_query(a, b, CT_WEIGHTING_SQUARED_FACE, method, workspace, &faces)) return false;
  score(s, VOLUME, fabs(c.volume - number_of(s->expect, "volume")), 1e-10 * k * k * k);
  score(s, CENTROID, ct_norm(ct_sub(c.centroid, vector_of(json_object_get(s->expect, "centroid")))),
        1e-10 * k);
  score(s, AREA, fabs(c.area - number_of(s->expect, "contact_area")), 1e-10 * k * k);
  score(s, POINT,
        ct_norm(ct_sub(c.position, vector_of(json_object_get(s->expect, "contact_point")))),
        1e-10 * k);
  score_normal(s, LINEAR, &c, (const char *[]){"normal_area", "sum_area_normal", "gap_area"},
               surface);
  score_normal(s, FACES, &faces,
               (const char *[]){"normal_face_a2", "sum_face_a2_normal", "gap_face_a2"},
               surface * surface);
  return true;
}

static void judge(FILE *file, ct_volume_method method) {
  ct_workspace *workspace = ct_workspace_create();
  double worst[QUANTITIES] = {0.0};
  char *line = NULL;
  size_t room = 0;
  int cases = 0;
  while (getline(&line, &room, file) > 0) {
    json_t *j = json_loads(line, 0, NULL);
    const char *id = json_string_value(json_object_get(j, "id")),
               *category = json_string_value(json_object_get(j, "category"));
    placed a = read_body(json_object_get(j, "a")), b = read_body(json_object_get(j, "b"));
    scoring s = {.expect = json_object_get(j, "expect"),
                 .scale = ct_hull_get(a.shape.hull)->radius + ct_hull_get(b.shape.hull)->radius};
    if (!score_case(&s, &a, &b, method, workspace))
      CHECK_FAIL("%s (%s) has no contact", id, category);
    for (int q = 0; q < QUANTITIES; q++) {
      worst[q] = ct_max2(worst[q], s.error[q]);
      if (!(s.error[q] <= 1.0))
        CHECK_FAIL("%s (%s): %s is off by %g of what is allowed", id, category, quantity_name[q],
                   s.error[q]);
    }
    cases++;
    ct_hull_release(a.shape.hull);
    ct_hull_release(b.shape.hull);
    json_decref(j);
  }
  printf("%d cases (%s), worst error in parts of what is allowed:", cases,
         ct_volume_method_word(method));
  for (int q = 0; q < QUANTITIES; q++) printf(" %s %.2g", quantity_name[q], worst[q]);
  printf("\n");
  CHECK(cases > 0);
  free(line);
  fclose(file);
  ct_workspace_destroy(workspace);
}

static void every_case_of_the_corpus_is_answered_within_the_allowance(void) {
  FILE *file = corpus();
  if (file) judge(file, CT_VOLUME_AUTO);
  else CHECK_SKIP("the reference corpus is not here (CONTACTD_CORPUS)");
}

static void the_dual_hull_answers_every_case_too(void) {
  FILE *file = corpus();
  if (file) judge(file, CT_VOLUME_DUAL_HULL);
  else CHECK_SKIP("the reference corpus is not here (CONTACTD_CORPUS)");
}

static void the_synthetic_cases_in_the_tree_are_answered_within_the_allowance(void) {
  FILE *file = fopen("tests/corpus/synthetic_intersections.jsonl", "r");
  CHECK(file != NULL);
  if (file) judge(file, CT_VOLUME_AUTO);
  file = fopen("tests/corpus/synthetic_intersections.jsonl", "r");
  if (file) judge(file, CT_VOLUME_DUAL_HULL);
}

static const check_test tests[] = {
    {"every_case_of_the_corpus_is_answered_within_the_allowance",
     every_case_of_the_corpus_is_answered_within_the_allowance},
    {"the_dual_hull_answers_every_case_too", the_dual_hull_answers_every_case_too},
    {"the_synthetic_cases_in_the_tree_are_answered_within_the_allowance",
     the_synthetic_cases_in_the_tree_are_answered_within_the_allowance},
};
CHECK_MAIN(tests)
