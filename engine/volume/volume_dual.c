/* Contact of two convex polyhedra by the dual hull (Muller, Preparata 1978), used only if the
 * options name it.
 *
 * The planes of both bodies are dualised about an inner point, the convex hull of the dual points
 * is built, and its polar is the intersection; the contact is then computed as for a clipped
 * polyhedron. The inner point is the centre of the largest inscribed ball or, in the method of
 * Koziara's Solfec, the result of its iteration with a tolerance epsilon.
 *
 * Limits: an intersection without an interior point beyond round-off is reported as touching. The
 * Solfec method may move planes outward and merge vertices by a few epsilon; a flag reports
 * this. */
#include "volume/volume_dual.h"
#include "convex/gjk.h"
#include "hull/hull_polar.h"
#include "pair/workspace.h"
#include "volume/volume_contact.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* ---- dual construction ----------------------------------------------------------------------- */

/* Solfec's iteration for the inner point: largest number of passes, and step of the first pass in
 * units of epsilon. */
#define REFINE_PASSES 5
#define REFINE_STEP 32.0

/* Solfec merges points if no coordinate differs by more than this, in units of epsilon. */
#define MERGE_DISTANCE 2.0
/* Upper bound of the displacement, in units of epsilon: of merged vertices 2 sqrt(3), of planes
 * 2. */
#define DISPLACEMENT_EPSILONS 4.0

/* The dual construction of two polyhedra. */
typedef struct dual_construction {
  const ct_volume_body *a, *b;
  ct_plane_set planes; /* planes of both bodies; the Solfec method may change their offsets */
  uint32_t *source; /* [planes.count] origin of each plane: index of a face of a, or a's face_count
                       plus index of a face of b */
  ct_vec3 inner;    /* the inner point */
  double margin;    /* least distance of `inner` from a plane, m; negative if it is outside */
  ct_hull_cells solid; /* the intersection; its face_source are indices into `source` */
} dual_construction;

static void append_body_plane(dual_construction *d, const ct_volume_body *body, uint32_t face,
                              uint32_t source) {
  ct_plane_set *p = &d->planes;
  assert(face < body->face_count && p->count < d->a->face_count + d->b->face_count);
  ct_vec3 n = ct_volume_body_normal(body, face);
  p->unit[p->count] = (ct_half_space){n, body->offset[face]};
  p->normals[p->count] = ct_vec(ct_exact_flush(n.x), ct_exact_flush(n.y), ct_exact_flush(n.z));
  p->constants[p->count] = -body->offset[face];
  d->source[p->count++] = source;
}

/* Collects the planes of both bodies, except those of b's faces that are shared with a face of a.
 * shared: [a's faces] the shared face of b, or CT_CUT_NONE. False: out of memory. In both cases
 * close_dual must be called. */
static bool open_dual(dual_construction *d, const ct_volume_body *a, const ct_volume_body *b,
                      const uint32_t *shared) {
  size_t count = (size_t)a->face_count + b->face_count;
  *d = (dual_construction){.a = a, .b = b};
  d->planes.unit = malloc(count * sizeof *d->planes.unit);
  d->planes.normals = malloc(count * sizeof *d->planes.normals);
  d->planes.constants = malloc(count * sizeof *d->planes.constants);
  d->planes.points = malloc(count * sizeof *d->planes.points);
  d->source = malloc(count * sizeof *d->source);
  bool *is_left_out = calloc(b->face_count, sizeof *is_left_out);
  bool ready = d->planes.unit && d->planes.normals && d->planes.constants && d->planes.points &&
               d->source && is_left_out;
  for (uint32_t f = 0; ready && f < a->face_count; f++) {
    if (shared[f] != CT_CUT_NONE) is_left_out[shared[f]] = true;
    append_body_plane(d, a, f, f);
  }
  for (uint32_t f = 0; ready && f < b->face_count; f++) {
    if (!is_left_out[f]) append_body_plane(d, b, f, a->face_count + f);
  }
  free(is_left_out);
  return ready;
}

static void close_dual(dual_construction *d) {
  free(d->planes.unit);
  free(d->planes.normals);
  free(d->planes.constants);
  free(d->planes.points);
  free(d->source);
  ct_hull_cells_free(&d->solid);
}

static double compute_inner_height(const dual_construction *d, uint32_t plane) {
  return ct_dot(d->planes.unit[plane].normal, d->inner) - d->planes.unit[plane].offset;
}

static void update_inner_margin(dual_construction *d) {
  d->margin = INFINITY;
  for (uint32_t i = 0; i < d->planes.count; i++)
    d->margin = ct_min2(d->margin, -compute_inner_height(d, i));
}

/* Sets the inner point to the centre of the largest inscribed ball; the margin has an error of at
 * most *resolution. */
static void set_inner_to_ball_centre(dual_construction *d, double *resolution) {
  ct_inscribed ball = ct_inscribed_ball(d->planes.unit, d->planes.count, d->planes.cancel);
  d->inner = ball.center;
  d->margin = ball.radius;
  *resolution = ball.resolution;
}

/* Sets the inner point by Solfec's iteration from `start`: in each of at most REFINE_PASSES passes,
 * every plane nearer than epsilon displaces the point inward by a step, which halves from pass to
 * pass. If the last pass still displaced the point, `start` is used, as in Solfec. */
static void refine_inner_point(dual_construction *d, ct_vec3 start, double epsilon) {
  double step = REFINE_STEP * epsilon;
  assert(epsilon > 0.0);
  bool changed = true;
  d->inner = start;
  for (int pass = 0; pass < REFINE_PASSES && changed; pass++, step *= 0.5) {
    changed = false;
    for (uint32_t i = 0; i < d->planes.count; i++) {
      if (compute_inner_height(d, i) <= -epsilon) continue;
      d->inner = ct_add_scaled(d->inner, d->planes.unit[i].normal, -step);
      changed = true;
    }
  }
  if (changed) d->inner = start;
  update_inner_margin(d);
}

/* Displaces every plane that is nearer to the inner point than epsilon outward to this distance.
 * True if any was displaced. */
static bool displace_near_planes(dual_construction *d, double epsilon) {
  bool any = false;
  assert(epsilon > 0.0);
  for (uint32_t i = 0; i < d->planes.count; i++) {
    double height = compute_inner_height(d, i);
    if (height <= -epsilon) continue;
    d->planes.unit[i].offset += height + epsilon;
    d->planes.constants[i] = -d->planes.unit[i].offset;
    any = true;
  }
  return any;
}

/* Computes the intersection from the inner point. For the status see hull/hull_polar.h. */
static ct_status solve_dual(dual_construction *d) {
  ct_hull_builder grow = {0};
  ct_hull_cells dual = {0};
  ct_status status = ct_dual_points(&d->planes, d->inner);
  if (status == CT_OK) status = ct_dual_hull(&d->planes, &grow, &dual);
  if (status == CT_OK) status = ct_polarise(&dual, d->inner, d->planes.cancel, &d->solid);
  ct_hull_builder_free(&grow);
  ct_hull_cells_free(&dual);
  return status;
}

/* ---- contact --------------------------------------------------------------------------------- */

/* Lists coplanar faces of both bodies with the same outward side as shared, so that each plane
 * occurs once. Solfec merges their dual points instead, with the same result. */
static void find_shared_faces(ct_volume_common *c, const ct_cancel *cancel) {
  for (uint32_t f = 0; f < c->b->face_count && !ct_cancel_raised(cancel); f++) {
    uint32_t other = ct_volume_same_plane(c, f);
    if (other != CT_CUT_NONE) c->shared[other] = f;
  }
}

/* Finds Solfec's start point: the closest point on a when GJK ends. False: the bodies are farther
 * apart than epsilon. */
static bool find_start_point(const ct_volume_common *c, ct_vec3 *start) {
  ct_gjk g = {.a = &c->a->proxy, .b = &c->b->proxy, .threshold = c->epsilon, .enough = -INFINITY};
  ct_gjk_outcome outcome = ct_gjk_run(&g);
  if (outcome == CT_GJK_BEYOND || (outcome == CT_GJK_SEPARATED && g.simplex.value > c->epsilon))
    return false;
  *start = ct_gjk_nearest(&g).a;
  return true;
}

/* Finds an inner point by the method of the options. False: there is none; pair->flags report the
 * reason if it is known. */
static bool find_inner_point(ct_volume_common *c, dual_construction *dual) {
  if (c->epsilon > 0.0) {
    ct_vec3 start;
    if (!find_start_point(c, &start)) return false;
    c->start = start;
    c->has_start = true;
    refine_inner_point(dual, start, c->epsilon);
    if (displace_near_planes(dual, c->epsilon)) c->flags |= CT_VOLUME_FLAG_TOLERANCE_RAISED;
    return true;
  }
  double resolution;
  set_inner_to_ball_centre(dual, &resolution);
  if (dual->margin > resolution) return true;
  if (dual->margin >= -resolution) c->pair->flags |= CT_VOLUME_FLAG_TOUCHING_ONLY;
  return false;
}

/* ---- the intersection as a half-edge structure ---------------------------------------------- */

/* Copies the intersection to the half-edge structure. False: out of memory. */
static bool copy_solid_to_cut(ct_volume_common *c, dual_construction *dual) {
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

/* Replaces each vertex by the first one that Solfec 1.0 regards as equal. True if any vertex
 * changed. */
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

/* Solfec's own check: true if no vertex is outside the bounding box of both bodies by more than
 * epsilon. */
static bool is_within_bodies(const ct_volume_common *c) {
  ct_aabb box =
      ct_aabb_expand(ct_aabb_union(compute_body_aabb(c->a), compute_body_aabb(c->b)), c->epsilon);
  for (uint32_t v = 0; v < c->cut->vertex_count; v++) {
    ct_vec3 p = ct_cut_vertex(c->cut, v);
    if (!ct_aabb_overlap(&box, &(ct_aabb){p, p})) return false;
  }
  return true;
}

/* Adds the contact of the intersection. False: as for ct_volume_add_common. */
static bool add_dual_contact(ct_volume_common *c, dual_construction *dual) {
  ct_status status = solve_dual(dual);
  if (status == CT_OK && !copy_solid_to_cut(c, dual)) status = CT_OUT_OF_MEMORY;
  if (status == CT_OUT_OF_MEMORY) c->pair->failed = true;
  else if (status == CT_CANCELLED) c->pair->status = CT_PAIR_ITERATION_LIMIT;
  else if (status != CT_OK) c->pair->flags |= CT_VOLUME_FLAG_GEOMETRIC_FAILURE;
  if (status != CT_OK) return true;
  /* origins of the faces, and the inner point */
  for (uint32_t f = 0; f < dual->solid.face_count; f++) {
    assert(dual->solid.face_source[f] < dual->planes.count);
    dual->solid.face_source[f] = dual->source[dual->solid.face_source[f]];
  }
  c->source = dual->solid.face_source;
  c->inner = dual->inner;
  c->margin = dual->margin;
  /* Solfec merges vertices that are near each other, and rejects implausible results */
  if (c->epsilon > 0.0) {
    bool merged = merge_near_vertices(c->cut, c->epsilon, dual->planes.cancel),
         swollen = c->flags & CT_VOLUME_FLAG_TOLERANCE_RAISED;
    c->displacement_max = (merged || swollen ? DISPLACEMENT_EPSILONS : 0.0) * c->epsilon;
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
  dual_construction dual;
  bool added = true;
  ct_volume_method method = c->pair->options->method;
  assert(method == CT_VOLUME_DUAL_HULL || method == CT_VOLUME_SOLFEC);
  c->epsilon = method == CT_VOLUME_SOLFEC ? c->pair->options->epsilon : 0.0;
  const ct_cancel *cancel = ct_workspace_cancel(c->pair->workspace);
  find_shared_faces(c, cancel);
  bool ready = open_dual(&dual, c->a, c->b, c->shared);
  dual.planes.cancel = cancel;
  if (!ready) c->pair->failed = true;
  else if (!ct_cancel_raised(cancel) && find_inner_point(c, &dual))
    added = add_dual_contact(c, &dual);
  close_dual(&dual);
  return added;
}
