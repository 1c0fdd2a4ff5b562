/* Functions shared by vertex and edge features: the lists, normals, and matches with the other
 * surface.
 *
 * Outward normals at vertices, and interpolated between them, are given by the caller or are the
 * angle-weighted sum of the adjacent triangles' normals (Thuermer, Wuethrich 1998). Adjacent
 * triangles are found in the bounding volume hierarchy; they need not form a fan, and nothing is
 * stored for other vertices.
 *
 * The match of a point inside a solid is the point in which a ray leaves the solid, or the closest
 * surface point. Most rays leave through the interior of the first triangle that they hit. For
 * other rays the stops of the ray (ray_mesh_crossings.h) are traversed, to the first one behind
 * which the winding number is lower. So a ray that touches a reentrant edge continues, and a ray
 * that leaves one of two overlapping parts ends. At a stop, the triangle of lowest index is the
 * match. */
#include "base/array.h"
#include "base/double_double.h"
#include "base/trigonometry.h"
#include "features/features.h"
#include "mesh/mesh_ray.h"
#include "ray/ray_mesh_crossings.h"
#include <contact/limits.h>

#include <assert.h>
#include <stdlib.h>

static void release_feature_part(void *part) {
  ct_feature_scratch *m = part;
  free(m->items);
  free(m->pairs);
  free(m->segments);
  free(m->ends);
  free(m->stops);
  free(m->crossings);
}

const ct_workspace_part_type ct_feature_part_type = {
    sizeof(ct_feature_scratch), offsetof(ct_feature_scratch, out_of_memory), release_feature_part};
_Static_assert(sizeof(ct_feature_scratch) <= CT_WORKSPACE_PART_MAX, "the part fits its slot");

const ct_mesh *ct_feature_mesh(const ct_shape *shape) {
  return shape->kind == CT_KIND_MESH || ct_kind_has_elements(shape->kind) ? shape->mesh : NULL;
}

bool ct_features_are_supported(const ct_shape *shape) { return ct_feature_mesh(shape) != NULL; }

ct_frame ct_feature_relative(const ct_frame *of, const ct_frame *in) {
  return (ct_frame){ct_mat_mat(ct_mat_transpose(in->rotation), of->rotation),
                    ct_mat_tmul(in->rotation, ct_sub(of->position, in->position))};
}

bool ct_feature_reserve(ct_feature_scratch *m, void *list, size_t item, size_t *capacity,
                        size_t count) {
  bool reserved = ct_array_reserve(list, capacity, count, item);
  if (!reserved) m->out_of_memory = true;
  return reserved;
}

void ct_feature_add(ct_feature_scratch *memory, const ct_pair_feature *feature) {
  if (ct_feature_reserve(memory, &memory->items, sizeof *memory->items, &memory->capacity,
                         memory->count + 1))
    memory->items[memory->count++] = *feature;
}

/* ---- normals -------------------------------------------------------------------------------- */

static bool is_point_in_aabb(const ct_aabb *box, ct_vec3 p) {
  return box->min.x <= p.x && p.x <= box->max.x && box->min.y <= p.y && p.y <= box->max.y &&
         box->min.z <= p.z && p.z <= box->max.z;
}

static bool are_equal_points(ct_vec3 a, ct_vec3 b) {
  return a.x == b.x && a.y == b.y && a.z == b.z;
}

/* Angle-weighted sum of the normals of the triangles at a point, and the lowest of these
 * triangles. */
typedef struct incident_sum {
  ct_vec3 sum;
  uint32_t triangle; /* the lowest number */
} incident_sum;

static void add_incident_triangle(const ct_mesh *mesh, uint32_t position, ct_vec3 p,
                                  incident_sum *a) {
  const ct_mesh_view *view = ct_mesh_get(mesh);
  const uint32_t *corner = view->corners[position];
  for (int k = 0; k < 3; k++) {
    if (!are_equal_points(view->vertices[corner[k]], p)) continue;
    ct_vec3 u = ct_sub(view->vertices[corner[(k + 1) % 3]], p),
            v = ct_sub(view->vertices[corner[(k + 2) % 3]], p);
    uint32_t number = view->order[position];
    a->sum = ct_add_scaled(a->sum, ct_mesh_normal(mesh, number), ct_angle(u, v));
    a->triangle = number < a->triangle ? number : a->triangle;
    return;
  }
}

static incident_sum sum_incident_normals(const ct_mesh *mesh, ct_vec3 p) {
  const ct_mesh_view *view = ct_mesh_get(mesh);
  incident_sum a = {.triangle = CT_NO_TRIANGLE};
  uint32_t stack[CT_MESH_DEPTH_MAX + 2];
  int top = 0;
  stack[top++] = 0;
  while (top > 0) {
    const ct_mesh_node *node = &view->nodes[stack[--top]];
    if (!is_point_in_aabb(&node->box, p)) continue;
    for (uint32_t i = node->first; i < node->first + node->count; i++)
      add_incident_triangle(mesh, i, p, &a);
    if (node->count > 0) continue;
    assert(top + 2 <= CT_MESH_DEPTH_MAX + 2);
    stack[top++] = node->first + 1;
    stack[top++] = node->first;
  }
  return a;
}

static ct_vec3 normalize_or_z(ct_vec3 v) { return ct_unit_or(v, ct_vec(0.0, 0.0, 1.0)); }

ct_feature_vertex ct_feature_vertex_of(const ct_mesh *mesh, uint32_t vertex) {
  const ct_mesh_view *view = ct_mesh_get(mesh);
  incident_sum a = sum_incident_normals(mesh, view->vertices[vertex]);
  assert(a.triangle != CT_NO_TRIANGLE); /* live triangles use the vertex */
  ct_feature_vertex out = {.direction = view->normals ? view->normals[vertex] : a.sum,
                           .triangle = a.triangle};
  out.cancels = !view->normals && ct_norm(a.sum) < CT_NORMALS_CANCEL;
  if (out.cancels) out.direction = ct_mesh_normal(mesh, a.triangle);
  out.normal = normalize_or_z(out.direction);
  return out;
}

bool ct_feature_normal_at(const ct_mesh *mesh, uint32_t triangle, const double barycentric[3],
                          ct_vec3 *normal) {
  const ct_mesh_view *view = ct_mesh_get(mesh);
  ct_vec3 sum = {0.0, 0.0, 0.0};
  for (int k = 0; k < 3; k++) {
    uint32_t vertex = view->triangles[triangle][k];
    if (barycentric[k] == 0.0) continue;
    ct_vec3 n = view->normals ? normalize_or_z(view->normals[vertex])
                              : ct_feature_vertex_of(mesh, vertex).normal;
    sum = ct_add_scaled(sum, n, barycentric[k]);
  }
  bool known = ct_norm(sum) >= CT_NORMALS_CANCEL;
  *normal = known ? normalize_or_z(sum) : ct_mesh_normal(mesh, triangle);
  return known;
}

/* ---- matches -------------------------------------------------------------------------------- */

/* Two stops are at one point if they differ by at most this along the ray, in unit round-offs of
 * the mesh's size. */
#define SAME_ROUNDOFFS 64.0

static void set_match(const ct_mesh_weights *w, uint32_t triangle, ct_vec3 direction,
                      ct_feature_match *out) {
  *out = (ct_feature_match){
      .triangle = triangle, .point = w->point, .distance = w->t * ct_norm(direction)};
  for (int k = 0; k < 3; k++) out->barycentric[k] = w->weight[k];
}

/* Sets the match to the triangle of lowest index through whose back the ray leaves at a stop.
 * False: there is none. */
static bool match_lowest_triangle(const ct_ray_walk *walk, const ct_ray_stop *stop, ct_vec3 origin,
                                  ct_vec3 direction, ct_feature_match *out) {
  const ct_mesh_hit *lowest = NULL;
  for (size_t i = stop->begin; i < stop->end; i++) {
    const ct_mesh_hit *hit = &walk->hits[walk->events[i].hit];
    if (hit->side < 0 && (!lowest || hit->triangle < lowest->triangle)) lowest = hit;
  }
  if (!lowest) return false;
  ct_mesh_weights w;
  ct_mesh_ray_weights(walk->mesh, origin, direction, lowest->triangle, &w);
  set_match(&w, lowest->triangle, direction, out);
  return true;
}

/* Traverses the stops of the whole ray to the first one at which it leaves the solid. False: there
 * is none, or out of memory. */
static bool match_ray_exit(const ct_mesh *mesh, ct_vec3 origin, ct_vec3 direction,
                           ct_workspace *workspace, ct_feature_match *out) {
  ct_ray_walk walk = {.mesh = mesh, .origin = origin, .direction = direction};
  const ct_mesh_view *view = ct_mesh_get(mesh);
  ct_ray_stop stop;
  int exponent;
  if (!ct_mesh_ray_flush(&walk.origin, &walk.direction, &exponent)) return false;
  walk.same = SAME_ROUNDOFFS * CT_UNIT_ROUNDOFF * (view->radius + ct_max_abs(walk.origin));
  if (!ct_ray_walk_open(&walk, INFINITY, false, workspace)) {
    ct_workspace_features(workspace)->out_of_memory = true;
    return false;
  }
  ct_ray_walk_sum(&walk);
  int turns = walk.turns;
  while (ct_ray_walk_next(&walk, &stop)) {
    if (stop.within_after) continue; /* within a coplanar face the ray is still inside */
    if (walk.turns < turns && match_lowest_triangle(&walk, &stop, origin, direction, out))
      return true;
    turns = walk.turns;
  }
  return false;
}

bool ct_feature_ray(const ct_mesh *mesh, ct_vec3 origin, ct_vec3 direction, ct_workspace *workspace,
                    ct_feature_match *out) {
  ct_mesh_hit hit;
  ct_mesh_weights w;
  if (!ct_mesh_ray_first(mesh, origin, direction, INFINITY, &hit)) return false;
  if (hit.side >= 0 || hit.zero != 0)
    return match_ray_exit(mesh, origin, direction, workspace, out);
  ct_mesh_ray_weights(mesh, origin, direction, hit.triangle, &w);
  set_match(&w, hit.triangle, direction, out);
  return true;
}

void ct_feature_barycentric(const ct_mesh *mesh, uint32_t triangle, ct_vec3 point, double out[3]) {
  const ct_mesh_view *view = ct_mesh_get(mesh);
  const uint32_t *t = view->triangles[triangle];
  ct_vec3 v[3] = {view->vertices[t[0]], view->vertices[t[1]], view->vertices[t[2]]};
  ct_dd3 ab = ct_dd3_sub(v[1], v[0]), ac = ct_dd3_sub(v[2], v[0]), normal = ct_dd3_cross(&ab, &ac);
  double sum = 0.0;
  for (int k = 0; k < 3; k++) {
    ct_dd3 p = ct_dd3_sub(v[(k + 1) % 3], point), q = ct_dd3_sub(v[(k + 2) % 3], point),
           cross = ct_dd3_cross(&p, &q);
    out[k] = ct_max2(ct_dd_value(ct_dd3_dot(&cross, &normal)), 0.0);
    sum += out[k];
  }
  for (int k = 0; k < 3; k++) out[k] = sum > 0.0 ? out[k] / sum : 1.0 / 3.0;
}

void ct_feature_nearest(const ct_mesh *mesh, ct_vec3 point, ct_feature_match *out) {
  ct_mesh_foot foot = {.triangle = 0, .point = point};
  ct_mesh_nearest(mesh, point, INFINITY, &foot);
  *out =
      (ct_feature_match){.triangle = foot.triangle, .point = foot.point, .distance = foot.distance};
  assert(out->distance >= 0.0);
  ct_feature_barycentric(mesh, foot.triangle, foot.point, out->barycentric);
}

ct_pair_feature_point ct_feature_point_of(const ct_feature_body *body,
                                          const ct_feature_match *match, uint32_t flag,
                                          uint32_t *flags) {
  ct_vec3 normal;
  if (!ct_feature_normal_at(body->mesh, match->triangle, match->barycentric, &normal))
    *flags |= flag;
  return (ct_pair_feature_point){
      .point = ct_to_parent(*body->frame, match->point),
      .normal = ct_mat_mul(body->frame->rotation, normal),
      .triangle = match->triangle,
      .barycentric = {match->barycentric[0], match->barycentric[1], match->barycentric[2]}};
}
