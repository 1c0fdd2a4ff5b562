/* Contact of two polyhedra by the dual hull. The inner point is the centre of the largest inscribed
 * ball or, in Solfec's method, the end of Solfec's iteration. The contact is then computed as for a
 * clipped polyhedron. */
#include "convex/gjk.h"
#include "pair/workspace.h"
#include "volume/volume_convex.h"
#include "volume/volume_dual.h"

#include <string.h>

/* Solfec merges points if no coordinate differs by more than this many epsilons. */
#define MERGE_DISTANCE 2.0
/* Displacement bound in epsilons: merged vertices move by up to 2 sqrt(3), planes by 2. */
#define MOVED 4.0

/* Lists coplanar faces of both bodies as shared: one plane. Solfec merges their dual points
 * instead, with the same faces left. */
static void find_shared_faces(ct_volume_common *c, const ct_cancel *cancel) {
  for (uint32_t f = 0; f < c->b->face_count && !ct_cancel_raised(cancel); f++) {
    uint32_t other = ct_volume_same_plane(c, f);
    if (other != CT_CUT_NONE) c->shared[other] = f;
  }
}

/* Solfec's start point: the closest point on a where GJK ends. False: the bodies are farther apart
 * than epsilon. */
static bool find_start_point(const ct_volume_common *c, ct_vec3 *start) {
  ct_gjk g = {.a = &c->a->proxy, .b = &c->b->proxy, .threshold = c->epsilon, .enough = -INFINITY};
  ct_gjk_outcome outcome = ct_gjk_run(&g);
  if (outcome == CT_GJK_BEYOND || (outcome == CT_GJK_SEPARATED && g.simplex.value > c->epsilon))
    return false;
  *start = ct_gjk_nearest(&g).a;
  return true;
}

/* Finds an inner point by the chosen method. False: none exists; flags of the result say why if
 * known. */
static bool find_inner_point(ct_volume_common *c, ct_volume_dual *dual) {
  if (c->epsilon > 0.0) {
    ct_vec3 start;
    if (!find_start_point(c, &start)) return false;
    c->start = start;
    c->has_start = true;
    ct_volume_dual_refine(dual, start, c->epsilon);
    if (ct_volume_dual_swell(dual, c->epsilon)) c->flags |= CT_VOLUME_FLAG_TOLERANCE_RAISED;
    return true;
  }
  double resolution;
  ct_volume_dual_centre(dual, &resolution);
  if (dual->margin > resolution) return true;
  if (dual->margin >= -resolution) c->pair->flags |= CT_VOLUME_FLAG_TOUCHING_ONLY;
  return false;
}

/* ---- the intersection as a half-edge structure ---------------------------------------------- */

/* Copies the intersection to the half-edge structure. False: out of memory. */
static bool copy_solid_to_cut(ct_volume_common *c, ct_volume_dual *dual) {
  const ct_hull_cells *cells = &dual->solid;
  ct_volume_body_storage *storage = &c->pair->memory->solid;
  if (!ct_volume_body_storage_open(storage, 3 * (size_t)cells->vertex_count)) return false;
  double *x = storage->numbers, *y = x + cells->vertex_count, *z = y + cells->vertex_count;
  for (uint32_t v = 0; v < cells->vertex_count; v++) {
    x[v] = cells->vertices[v].x;
    y[v] = cells->vertices[v].y;
    z[v] = cells->vertices[v].z;
  }
  const ct_volume_body solid = {.vertex_count = cells->vertex_count,
                                .face_count = cells->face_count,
                                .x = x,
                                .y = y,
                                .z = z,
                                .face_start = cells->face_start,
                                .face_loop = cells->face_loop};
  return ct_cut_open(c->cut, &solid, 0);
}

/* Moves each vertex to the first one that Solfec 1.0 considers equal. True if any was moved. */
static bool merge_near_vertices(ct_cut *cut, double epsilon, const ct_cancel *cancel) {
  bool any = false;
  for (uint32_t v = 1; v < cut->vertex_count && !ct_cancel_raised(cancel); v++) {
    for (uint32_t w = 0; w < v; w++) {
      if (ct_max_abs(ct_sub(ct_cut_vertex(cut, v), ct_cut_vertex(cut, w))) >
          MERGE_DISTANCE * epsilon)
        continue;
      any = any || ct_max_abs(ct_sub(ct_cut_vertex(cut, v), ct_cut_vertex(cut, w))) > 0.0;
      cut->x[v] = cut->x[w];
      cut->y[v] = cut->y[w];
      cut->z[v] = cut->z[w];
      break;
    }
  }
  return any;
}

static ct_aabb compute_body_aabb(const ct_volume_body *body) {
  ct_aabb box = ct_aabb_empty();
  for (uint32_t v = 0; v < body->vertex_count; v++) {
    ct_vec3 p = {body->x[v], body->y[v], body->z[v]};
    box = ct_aabb_union(box, (ct_aabb){p, p});
  }
  return box;
}

/* Solfec's own check: no vertex is outside the bounding box of both bodies by more than epsilon. */
static bool is_within_bodies(const ct_volume_common *c) {
  ct_aabb box =
      ct_aabb_expand(ct_aabb_union(compute_body_aabb(c->a), compute_body_aabb(c->b)), c->epsilon);
  for (uint32_t v = 0; v < c->cut->vertex_count; v++) {
    ct_vec3 p = ct_cut_vertex(c->cut, v);
    if (!ct_aabb_overlap(&box, &(ct_aabb){p, p})) return false;
  }
  return true;
}

/* Adds the contact of the intersection. False: as ct_volume_add_common. */
static bool add_dual_contact(ct_volume_common *c, ct_volume_dual *dual) {
  ct_status status = ct_volume_dual_solve(dual);
  if (status == CT_OK && !copy_solid_to_cut(c, dual)) status = CT_OUT_OF_MEMORY;
  if (status == CT_OUT_OF_MEMORY) c->pair->failed = true;
  else if (status == CT_CANCELLED) c->pair->status = CT_PAIR_ITERATION_LIMIT;
  else if (status != CT_OK) c->pair->flags |= CT_VOLUME_FLAG_GEOMETRIC_FAILURE;
  if (status != CT_OK) return true;
  /* origins of the faces, and the inner point */
  for (uint32_t f = 0; f < dual->solid.face_count; f++)
    dual->solid.face_source[f] = dual->source[dual->solid.face_source[f]];
  c->source = dual->solid.face_source;
  c->inner = dual->inner;
  c->margin = dual->margin;
  /* Solfec merges near vertices and rejects implausible results */
  if (c->epsilon > 0.0) {
    bool merged = merge_near_vertices(c->cut, c->epsilon, dual->planes.cancel),
         swollen = c->flags & CT_VOLUME_FLAG_TOLERANCE_RAISED;
    c->moved = (merged || swollen ? MOVED : 0.0) * c->epsilon;
    if (!is_within_bodies(c)) {
      c->pair->flags |= CT_VOLUME_FLAG_GEOMETRIC_FAILURE;
      return true;
    }
  }
  bool added = ct_volume_add_common(c);
  c->source = NULL;
  return added;
}

bool ct_volume_by_dual(ct_volume_common *c) {
  ct_volume_dual dual;
  bool added = true;
  c->epsilon = c->pair->options->method == CT_VOLUME_SOLFEC ? c->pair->options->epsilon : 0.0;
  const ct_cancel *cancel = ct_workspace_cancel(c->pair->workspace);
  find_shared_faces(c, cancel);
  bool ready = ct_volume_dual_open(&dual, c->a, c->b, c->shared);
  dual.planes.cancel = cancel;
  if (!ready) c->pair->failed = true;
  else if (!ct_cancel_raised(cancel) && find_inner_point(c, &dual))
    added = add_dual_contact(c, &dual);
  ct_volume_dual_close(&dual);
  return added;
}
