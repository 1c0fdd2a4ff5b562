/* Vertices of one mesh against another, from the reference corpus (softmesh.jsonl, computed in
 * exact rationals): containment, depth, and the hits of rays along the vertex normals; and the
 * pairs of triangles that share a point.
 *
 * The file is $CONTACTD_CORPUS/softmesh.jsonl or ../shared/corpus/softmesh.jsonl. Without a file
 * its fact is skipped, the runner permits skipping only then, and only the synthetic cases in the
 * tree are tested. Vertices are transformed into the other mesh's frame in long double; a vertex
 * exactly on a surface may round to either side and is left out. */
#include "tests/support/meshes.h"
#include "tests/support/workspace.h"

#include <jansson.h>

static FILE *corpus(void) {
  char path[4096];
  const char *folder = getenv("CONTACTD_CORPUS");
  snprintf(path, sizeof path, "%s/softmesh.jsonl", folder ? folder : "../shared/corpus");
  return fopen(path, "r");
}

static double number_at(const json_t *array, size_t i) {
  return json_number_value(json_array_get(array, i));
}

typedef struct placing {
  long double rotation[3][3], position[3];
} placing;

/* The rotation of q / |q|, q = w, x, y, z. */
static placing placing_of(const json_t *pose) {
  const json_t *q = json_object_get(pose, "orientation"), *at = json_object_get(pose, "position");
  long double w = number_at(q, 0), x = number_at(q, 1), y = number_at(q, 2), z = number_at(q, 3);
  long double s = 2 / (w * w + x * x + y * y + z * z);
  placing p = {{{1 - s * (y * y + z * z), s * (x * y - w * z), s * (x * z + w * y)},
                {s * (x * y + w * z), 1 - s * (x * x + z * z), s * (y * z - w * x)},
                {s * (x * z - w * y), s * (y * z + w * x), 1 - s * (x * x + y * y)}},
               {number_at(at, 0), number_at(at, 1), number_at(at, 2)}};
  return p;
}

static void to_world(const placing *p, const json_t *v, long double out[3]) {
  for (int i = 0; i < 3; i++) {
    out[i] = p->position[i];
    for (size_t k = 0; k < 3; k++) out[i] += p->rotation[i][k] * number_at(v, k);
  }
}

static ct_vec3 turned_back(const placing *p, const long double w[3]) {
  long double out[3] = {0, 0, 0};
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++) out[i] += p->rotation[k][i] * w[k];
  return ct_vec((double)out[0], (double)out[1], (double)out[2]);
}

static ct_mesh *mesh_of(const json_t *shape) {
  const json_t *vertices = json_object_get(shape, "vertices"),
               *triangles = json_object_get(shape, "triangles");
  soup s = {0};
  for (size_t i = 0; i < json_array_size(vertices); i++) {
    const json_t *v = json_array_get(vertices, i);
    soup_vertex(&s, ct_vec(number_at(v, 0), number_at(v, 1), number_at(v, 2)));
  }
  for (size_t i = 0; i < json_array_size(triangles); i++) {
    const json_t *t = json_array_get(triangles, i);
    soup_triangle(&s, (uint32_t)number_at(t, 0), (uint32_t)number_at(t, 1),
                  (uint32_t)number_at(t, 2));
  }
  return soup_mesh(&s);
}

static bool is_mesh(const json_t *side) {
  return strcmp(json_string_value(json_object_get(json_object_get(side, "shape"), "type")),
                "mesh") == 0;
}

static bool holds(const json_t *array, size_t number) {
  for (size_t i = 0; i < json_array_size(array); i++)
    if ((size_t)number_at(array, i) == number) return true;
  return false;
}

typedef struct meeting {
  ct_mesh *a, *b;
  placing of_a, of_b;
  const json_t *vertices, *expect; /* of a */
} meeting;

static ct_vec3 vertex_in_b(const meeting *m, size_t i) {
  long double w[3];
  to_world(&m->of_a, json_array_get(m->vertices, i), w);
  for (int k = 0; k < 3; k++) w[k] -= m->of_b.position[k];
  return turned_back(&m->of_b, w);
}

static void check_vertices(const meeting *m) {
  const json_t *inside = json_object_get(m->expect, "vertices_a_in_b");
  const json_t *on = json_object_get(m->expect, "vertices_on_surface_a_in_b");
  for (size_t i = 0; i < json_array_size(m->vertices); i++)
    if (!holds(on, i)) CHECK_INT(ct_mesh_contains(m->b, vertex_in_b(m, i)), holds(inside, i));
  const json_t *features = json_object_get(m->expect, "features_a_in_b");
  for (size_t i = 0; i < json_array_size(features); i++) {
    const json_t *f = json_array_get(features, i);
    ct_mesh_foot foot;
    CHECK(ct_mesh_nearest(m->b,
                          vertex_in_b(m, (size_t)json_number_value(json_object_get(f, "vertex"))),
                          INFINITY, &foot));
    CHECK_NEAR(foot.distance, json_number_value(json_object_get(f, "depth")),
               1e-15 * ct_mesh_get(m->b)->radius);
  }
}

/* The hit is farther from the triangle's edges than the rounding of the ray. */
static bool well_inside(const json_t *hit) {
  const json_t *share = json_object_get(hit, "barycentric");
  return number_at(share, 0) > 1e-12 && number_at(share, 1) > 1e-12 && number_at(share, 2) > 1e-12;
}

static int check_rays(const meeting *m) {
  const json_t *rays = json_object_get(m->expect, "rays_from_a"),
               *on = json_object_get(m->expect, "vertices_on_surface_a_in_b");
  int checked = 0;
  for (size_t i = 0; i < json_array_size(rays); i++) {
    const json_t *ray = json_array_get(rays, i), *n = json_object_get(ray, "vertex_normal");
    size_t vertex = (size_t)json_number_value(json_object_get(ray, "vertex"));
    long double world[3] = {number_at(n, 0), number_at(n, 1), number_at(n, 2)};
    ct_vec3 p = vertex_in_b(m, vertex), direction = turned_back(&m->of_b, world);
    for (int side = 0; side < 2 && !holds(on, vertex); side++, checked++) {
      const json_t *truth = json_object_get(ray, side ? "inward" : "outward");
      ct_mesh_hit hit;
      bool met = ct_mesh_ray_first(m->b, p, side ? ct_neg(direction) : direction, INFINITY, &hit);
      CHECK_INT(met, !json_is_null(truth));
      if (!met || json_is_null(truth)) continue;
      double t = json_number_value(json_object_get(truth, "t"));
      CHECK_NEAR(hit.t, t, 1e-14 * (t + ct_mesh_get(m->b)->radius));
      if (well_inside(truth)) CHECK(holds(json_object_get(truth, "triangles"), hit.triangle));
    }
  }
  return checked;
}

/* The triangles of a side; for a tetmesh those of its surface, in the order of the corpus. */
static ct_mesh *surface_of(const json_t *side) {
  json_t *shape = json_copy(json_object_get(side, "shape"));
  const json_t *surface = json_object_get(side, "surface_triangles");
  if (surface) json_object_set(shape, "triangles", (json_t *)(uintptr_t)surface);
  ct_mesh *mesh = mesh_of(shape);
  json_decref(shape);
  return mesh;
}

static ct_frame frame_of(const json_t *side) {
  const json_t *pose = json_object_get(side, "pose"), *q = json_object_get(pose, "orientation"),
               *at = json_object_get(pose, "position");
  return ct_frame_of(
      (ct_pose){{number_at(at, 0), number_at(at, 1), number_at(at, 2)},
                {number_at(q, 1), number_at(q, 2), number_at(q, 3), number_at(q, 0)}});
}

/* The list of pairs that share a point, in both orders of the bodies. */
static int check_triangle_pairs(const json_t *line) {
  const json_t *side[2] = {json_object_get(line, "a"), json_object_get(line, "b")};
  const json_t *truth =
      json_object_get(json_object_get(line, "expect"), "intersecting_triangle_pairs");
  ct_shape shape[2];
  ct_frame frame[2];
  for (int i = 0; i < 2; i++) {
    shape[i] = (ct_shape){.kind = CT_KIND_MESH, .mesh = surface_of(side[i])};
    frame[i] = frame_of(side[i]);
  }
  for (int turn = 0; turn < 2; turn++) {
    ct_triangle_pairs pairs;
    ct_pair_triangles((ct_placed){&shape[turn], &frame[turn]},
                      (ct_placed){&shape[1 - turn], &frame[1 - turn]}, workspace, &pairs);
    CHECK(!pairs.out_of_memory);
    CHECK_INT(pairs.count, json_array_size(truth));
    for (size_t k = 0; k < pairs.count; k++) {
      uint32_t a = turn ? pairs.items[k].b : pairs.items[k].a,
               b = turn ? pairs.items[k].a : pairs.items[k].b;
      bool listed = false;
      for (size_t i = 0; i < json_array_size(truth) && !listed; i++)
        listed = number_at(json_array_get(truth, i), 0) == a &&
                 number_at(json_array_get(truth, i), 1) == b;
      if (!listed)
        CHECK_FAIL("%s: triangles %u and %u", json_string_value(json_object_get(line, "id")), a, b);
    }
  }
  for (int i = 0; i < 2; i++) ct_shape_release(&shape[i]);
  return (int)json_array_size(truth);
}

/* Checks every pair of meshes in the file and closes the file; requires the given numbers of cases
 * and rays. */
static void check_file(FILE *file, int least_cases, int least_rays) {
  int cases = 0, rays = 0, pairs = 0;
  json_t *line;
  while ((line = json_loadf(file, JSON_DISABLE_EOF_CHECK, NULL)) != NULL) {
    const json_t *a = json_object_get(line, "a"), *b = json_object_get(line, "b");
    if (is_mesh(a) && is_mesh(b)) {
      meeting m = {mesh_of(json_object_get(a, "shape")),
                   mesh_of(json_object_get(b, "shape")),
                   placing_of(json_object_get(a, "pose")),
                   placing_of(json_object_get(b, "pose")),
                   json_object_get(json_object_get(a, "shape"), "vertices"),
                   json_object_get(line, "expect")};
      CHECK(ct_mesh_get(m.b)->solid);
      check_vertices(&m);
      rays += check_rays(&m);
      cases++;
      ct_mesh_release(m.a);
      ct_mesh_release(m.b);
    }
    pairs += check_triangle_pairs(line);
    json_decref(line);
  }
  fclose(file);
  printf("%d pairs of meshes, %d rays, %d pairs of triangles\n", cases, rays, pairs);
  CHECK(cases >= least_cases && rays >= least_rays && pairs >= 10 * least_cases);
}

static void vertices_of_synthetic_meshes_are_inside_and_rays_hit_as_exact_rationals_say(void) {
  FILE *file = fopen("tests/corpus/synthetic_softmesh.jsonl", "r");
  CHECK(file != NULL);
  if (file) check_file(file, 16, 400);
}

static void vertices_of_corpus_meshes_are_inside_and_rays_hit_as_exact_rationals_say(void) {
  FILE *file = corpus();
  if (file) check_file(file, 48, 1400);
  else
    CHECK_SKIP(
        "32 pairs of the reference corpus are not here (CONTACTD_CORPUS); the synthetic cases run");
}

static const check_test tests[] = {
    {"vertices_of_synthetic_meshes_are_inside_and_rays_hit_as_exact_rationals_say",
     vertices_of_synthetic_meshes_are_inside_and_rays_hit_as_exact_rationals_say},
    {"vertices_of_corpus_meshes_are_inside_and_rays_hit_as_exact_rationals_say",
     vertices_of_corpus_meshes_are_inside_and_rays_hit_as_exact_rationals_say},
};

WORKSPACE_MAIN(tests)
