/* Depth of two cores by a growing polytope. */
#include "convex/epa.h"

#include <stdlib.h>
#include <string.h>

/* Nothing lies behind a face when the support is within this many u of its plane, times the size of the difference: what the unit
 * normal errs by. */
#define SLACK_FACTOR 3.0
/* Faces whose offsets differ by this many u of the size are equally near: equal up to the rounding of one dot product. */
#define TIE_FACTOR 2.0
/* Faces as near as the nearest that are finished, too, for the sake of the tie rule. */
#define TIES_MAX 64
#define FIRST_CAPACITY 128u
/* Cosine of the angle within which two directions of one basin count as the same: 8 degrees. */
#define SAME_DIRECTION 0.99
/* Rounds between two looks at the cancel flag: of large hulls some 100 us. */
#define ROUNDS_PER_POLL 16

typedef struct ct_epa_plane {
  ct_vec3 normal; /* unit, outward; not set before the face is looked behind */
  double offset;  /* until then a number that the offset is certainly not below */
  bool known;
} ct_epa_plane;

typedef struct run {
  ct_epa *epa;
  const ct_convex_proxy *a, *b;
  double size, grid, slack, tie;
  double width, known; /* of a bracket: see ct_epa_bracket; width < 0 for none */
  bool resume;
  int rounds;
  uint32_t near[2], taken; /* taken: the face that the answer is from */
  ct_epa_result *result;
} run;

void ct_epa_free(ct_epa *epa) {
  ct_hull_builder_free(&epa->grow);
  free(epa->vertex);
  free(epa->point);
  free(epa->plane);
  free(epa->heap);
  memset(epa, 0, sizeof *epa);
}

static bool resize(void **array, size_t count, size_t size) {
  void *larger = realloc(*array, count * size);
  if (larger) *array = larger;
  return larger != NULL;
}

static bool reserve_vertex(ct_epa *e) {
  if (e->vertex_count < e->vertex_capacity) return true;
  uint32_t n = e->vertex_capacity ? e->vertex_capacity * 2 : FIRST_CAPACITY;
  void *vertex = e->vertex, *point = e->point;
  bool ok = resize(&vertex, n, sizeof *e->vertex);
  e->vertex = vertex;
  ok = ok && resize(&point, n, sizeof *e->point);
  e->point = point;
  if (ok) e->vertex_capacity = n;
  return ok;
}

static bool reserve_planes(ct_epa *e, uint32_t count) {
  if (count <= e->plane_capacity) return true;
  uint32_t n = e->plane_capacity ? e->plane_capacity : FIRST_CAPACITY;
  while (n < count) n *= 2;
  void *plane = e->plane, *heap = e->heap;
  bool ok = resize(&plane, n, sizeof *e->plane);
  e->plane = plane;
  ok = ok && resize(&heap, n, sizeof *e->heap);
  e->heap = heap;
  if (ok) e->plane_capacity = n;
  return ok;
}

/* Nearer face first; among equals the older one. */
static bool before(const ct_epa *e, uint32_t f, uint32_t g) {
  double a = e->plane[f].offset, b = e->plane[g].offset;
  return a < b || (a == b && f < g);
}

static void heap_push(ct_epa *e, uint32_t face) {
  uint32_t i = e->heap_count++;
  while (i > 0 && before(e, face, e->heap[(i - 1) / 2])) {
    e->heap[i] = e->heap[(i - 1) / 2];
    i = (i - 1) / 2;
  }
  e->heap[i] = face;
}

static uint32_t heap_pop(ct_epa *e) {
  uint32_t top = e->heap[0], last = e->heap[--e->heap_count], i = 0;
  for (uint32_t child = 1; child < e->heap_count; child = 2 * i + 1) {
    if (child + 1 < e->heap_count && before(e, e->heap[child + 1], e->heap[child])) child++;
    if (!before(e, e->heap[child], last)) break;
    e->heap[i] = e->heap[child];
    i = child;
  }
  if (e->heap_count) e->heap[i] = last;
  return top;
}

/* The plane of a face, right to rounding. */
static ct_epa_plane plane_of(const ct_epa *e, uint32_t face) {
  if (e->plane[face].known) return e->plane[face];
  const uint32_t *v = e->grow.faces[face].vertex;
  ct_vec3 n = ct_unit_or(ct_exact_normal(e->point[v[0]], e->point[v[1]], e->point[v[2]]), ct_vec(1.0, 0.0, 0.0));
  return (ct_epa_plane){n, ct_dot(n, e->point[v[2]]), true};
}

/* The nearest face that still is one; CT_HULL_BUILDER_NONE when there is none. Most faces give way before their turn comes, so a
 * face's plane is made exactly when it is first in the heap by its bound; then it may have to wait again. */
static uint32_t nearest_face(ct_epa *e) {
  while (e->heap_count) {
    uint32_t face = heap_pop(e);
    if (!ct_hull_builder_is_alive(&e->grow, face)) continue;
    if (e->plane[face].known) return face;
    e->plane[face] = plane_of(e, face);
    if (!e->heap_count || before(e, face, e->heap[0])) return face;
    heap_push(e, face);
  }
  return CT_HULL_BUILDER_NONE;
}

/* Below the offset of a face by its rounded normal: what that errs by, and the rounding of the rest. */
static double bound_of(const run *r, uint32_t face) {
  const ct_hull_builder_face *f = &r->epa->grow.faces[face];
  double length = ct_norm(f->normal);
  if (!(length > 0.0)) return -INFINITY;
  double error = 2.0 * f->slack / length + 8.0 * CT_UNIT_ROUNDOFF;
  if (error > 0.1) return -INFINITY;
  return ct_dot(f->normal, r->epa->point[f->vertex[2]]) / length - error * r->size;
}

/* Gives the faces just created their places in the heap. */
static bool enlist(run *r) {
  ct_epa *e = r->epa;
  if (!reserve_planes(e, e->grow.face_count)) return false;
  for (uint32_t i = 0; i < e->grow.created_count; i++) {
    uint32_t face = e->grow.created[i];
    e->plane[face] = (ct_epa_plane){.offset = bound_of(r, face), .known = false};
    heap_push(e, face);
  }
  return true;
}

static bool append_support(run *r, ct_vec3 direction) {
  ct_epa *e = r->epa;
  if (!reserve_vertex(e)) return false;
  ct_minkowski_vertex m = ct_minkowski_support(r->a, r->b, ct_neg(direction), r->near);
  m.w = ct_round_to_grid(m.w, r->grid);
  e->vertex[e->vertex_count] = m;
  e->point[e->vertex_count++] = m.w;
  r->result->supports++;
  return true;
}

/* Of the points so far, the farthest from the flat through `rank` chosen ones; its measure is zero when all lie in the flat. */
static uint32_t farthest(const ct_epa *e, const uint32_t *chosen, int rank, double *measure) {
  uint32_t best = 0;
  *measure = 0.0;
  ct_vec3 p = e->point[chosen[0]], n = {0.0, 0.0, 0.0};
  if (rank == 3) n = ct_unit_or(ct_exact_normal(p, e->point[chosen[1]], e->point[chosen[2]]), n);
  for (uint32_t i = 0; i < e->vertex_count; i++) {
    double m;
    if (rank == 1) {
      m = ct_norm(ct_sub(e->point[i], p));
    } else if (rank == 2) {
      m = ct_norm(ct_exact_normal(p, e->point[chosen[1]], e->point[i]));
    } else {
      m = fabs(ct_dot(n, ct_sub(e->point[i], p)));
      if (m <= *measure || ct_orient3d(p, e->point[chosen[1]], e->point[chosen[2]], e->point[i]) == 0) continue;
    }
    if (m > *measure) {
      *measure = m;
      best = i;
    }
  }
  return best;
}

/* Directions in which a flat of `rank` points may still be left: across it, both ways. */
static bool append_across(run *r, const uint32_t *chosen, int rank) {
  const ct_epa *e = r->epa;
  ct_vec3 p = e->point[chosen[0]], n;
  if (rank == 3) {
    n = ct_exact_normal(p, e->point[chosen[1]], e->point[chosen[2]]);
    return append_support(r, n) && append_support(r, ct_neg(n));
  }
  ct_vec3 t = rank == 2 ? ct_sub(e->point[chosen[1]], p) : ct_vec(0.0, 0.0, 0.0);
  for (int i = 0; i < 3; i++) {
    n = ct_vec(i == 0 ? 1.0 : 0.0, i == 1 ? 1.0 : 0.0, i == 2 ? 1.0 : 0.0);
    if (rank == 2) n = ct_cross(t, n);
    if (ct_max_abs(n) == 0.0) continue;
    if (!append_support(r, n) || !append_support(r, ct_neg(n))) return false;
  }
  return true;
}

/* Starts the hull from four points that span space. On a flat difference: rank of what was found (1..3), and the normal. */
static ct_status start(run *r, const ct_simplex *seed, ct_vec3 *flat_normal) {
  ct_epa *e = r->epa;
  e->vertex_count = e->heap_count = e->grow.face_count = 0;
  for (int i = 0; seed && i < seed->count; i++) {
    if (!reserve_vertex(e)) return CT_OUT_OF_MEMORY;
    e->vertex[e->vertex_count] = seed->vertex[i];
    e->point[e->vertex_count] = e->vertex[e->vertex_count].w = ct_round_to_grid(seed->vertex[i].w, r->grid);
    e->vertex_count++;
  }
  if (!e->vertex_count && !append_support(r, ct_vec(1.0, 0.0, 0.0))) return CT_OUT_OF_MEMORY;
  uint32_t chosen[4] = {0, 1, 2, 3};
  if (e->vertex_count == 4 && ct_hull_builder_start(&e->grow, e->point, chosen) == CT_OK) return CT_OK;
  for (int rank = 1; rank < 4; rank++) {
    double measure;
    chosen[rank] = farthest(e, chosen, rank, &measure);
    if (measure == 0.0) {
      if (!append_across(r, chosen, rank)) return CT_OUT_OF_MEMORY;
      chosen[rank] = farthest(e, chosen, rank, &measure);
    }
    if (measure == 0.0) {
      *flat_normal = rank == 3 ? ct_exact_normal(e->point[chosen[0]], e->point[chosen[1]], e->point[chosen[2]])
                               : ct_cross(ct_sub(e->point[chosen[1]], e->point[chosen[0]]), ct_vec(0.0, 0.0, 1.0));
      return CT_DEGENERATE_HULL;
    }
  }
  return ct_hull_builder_start(&e->grow, e->point, chosen);
}

/* Both sides of a difference that is flat to the grid: its depth is round-off. */
static void answer_flat(run *r, ct_vec3 normal) {
  ct_vec3 n = ct_unit_or(normal, ct_vec(1.0, 0.0, 0.0));
  double radii = r->a->radius[0] + r->b->radius[0];
  double up = ct_proxy_support_value(r->b, n) + ct_proxy_support_value(r->a, ct_neg(n)) - radii;
  double down = ct_proxy_support_value(r->b, ct_neg(n)) + ct_proxy_support_value(r->a, n) - radii;
  bool upward = up < down || (up == down && ct_normal_greater(ct_neg(n), n));
  r->result->normal = upward ? ct_neg(n) : n;
  r->result->depth = upward ? up : down;
  r->result->least = ct_min2(r->result->depth, -r->slack);
}

/* Takes a finished face: the first one fixes the depth, later ones within round-off of it compete by the tie rule. */
static void take(run *r, uint32_t face, double height, int *taken) {
  const ct_epa_plane *plane = &r->epa->plane[face];
  ct_vec3 n = ct_neg(plane->normal);
  ct_epa_result *result = r->result;
  if ((*taken)++ == 0) {
    result->least = ct_min2(plane->offset, height);
    result->first_normal = n;
    result->first_depth = height;
  } else {
    if (ct_norm(ct_sub(n, result->normal)) > 1e-6) result->several = true;
    if (!ct_normal_greater(n, result->normal)) return;
  }
  result->normal = n;
  result->depth = height;
  r->taken = face;
}

/* Expands until the nearest faces are finished. CT_LIMIT: too many; then normal and depth are the best bound so far. */
static ct_status expand(run *r) {
  ct_epa *e = r->epa;
  double best = INFINITY;
  bool bracket = r->width >= 0.0;
  int taken = 0;
  for (int round = 0; round < r->rounds; round++) {
    if (round % ROUNDS_PER_POLL == 0 && ct_cancel_raised(e->cancel)) return CT_CANCELLED;
    uint32_t face = nearest_face(e);
    if (face == CT_HULL_BUILDER_NONE) return CT_OK;
    ct_epa_plane plane = e->plane[face];
    if (bracket && ct_min2(best, r->known) - plane.offset <= r->width) {
      r->result->least = plane.offset;
      heap_push(e, face);
      return CT_OK;
    }
    if (taken && (plane.offset > r->result->least + r->tie || taken >= TIES_MAX)) return CT_OK;
    const ct_minkowski_vertex *corner = &e->vertex[e->grow.faces[face].vertex[2]];
    r->near[0] = corner->index_a;
    r->near[1] = corner->index_b;
    if (!append_support(r, plane.normal)) return CT_OUT_OF_MEMORY;
    uint32_t newest = e->vertex_count - 1;
    ct_vec3 beyond = ct_sub(e->point[newest], e->point[e->grow.faces[face].vertex[2]]);
    double height = plane.offset + ct_dot(plane.normal, beyond);
    if (!taken && height < best) {
      best = height;
      r->result->normal = ct_neg(plane.normal);
      r->result->depth = height;
      r->result->least = plane.offset;
    }
    e->grow.points = e->point;
    if (height - plane.offset <= r->slack || ct_hull_builder_face_sees(&e->grow, face, e->point[newest]) <= 0) {
      e->vertex_count--;
      take(r, face, height, &taken);
      if (bracket) {
        heap_push(e, face);
        return CT_OK;
      }
      continue;
    }
    if (!taken) r->result->least = plane.offset;
    ct_status status = ct_hull_builder_add(&e->grow, newest, face);
    if (status != CT_OK) return status;
    if (!enlist(r)) return CT_OUT_OF_MEMORY;
  }
  return taken ? CT_OK : CT_LIMIT;
}

static void solve(run *r, const ct_simplex *seed) {
  double size = r->size = ct_minkowski_size(r->a, r->b);
  r->taken = CT_HULL_BUILDER_NONE;
  r->grid = ct_grid(size);
  r->slack = CT_UNIT_ROUNDOFF * SLACK_FACTOR * size;
  r->tie = CT_UNIT_ROUNDOFF * TIE_FACTOR * size;
  ct_epa_result *result = r->result;
  *result = (ct_epa_result){.normal = {1.0, 0.0, 0.0}, .status = CT_PAIR_OK};
  ct_vec3 flat = {0.0, 0.0, 0.0};
  ct_status status = r->resume ? CT_OK : start(r, seed, &flat);
  if (status == CT_DEGENERATE_HULL) {
    answer_flat(r, flat);
    return;
  }
  if (status == CT_OK) status = r->resume || enlist(r) ? expand(r) : CT_OUT_OF_MEMORY;
  if (status == CT_OK) return;
  if (status == CT_OUT_OF_MEMORY) {
    /* Faces may be without planes: nobody is to read them. */
    r->epa->grow.face_count = r->epa->heap_count = 0;
    r->epa->out_of_memory = true;
  }
  /* Ended before anything was found: any direction gives a true bound. */
  if (result->depth == 0.0 && result->least == 0.0) {
    result->depth = size;
    result->least = -size;
  }
  result->status = CT_PAIR_ITERATION_LIMIT;
}

void ct_epa_run(ct_epa *epa, const ct_convex_proxy *a, const ct_convex_proxy *b, const ct_simplex *seed, ct_epa_result *result) {
  run r = {.epa = epa, .a = a, .b = b, .result = result, .width = -1.0, .known = INFINITY, .rounds = CT_EPA_ITERATIONS_MAX};
  solve(&r, seed);
  result->on_face = r.taken != CT_HULL_BUILDER_NONE;
  if (!result->on_face) return;
  ct_gjk g = {.a = a, .b = b, .simplex = {.count = 3, .normal = result->normal, .value = -result->depth}};
  for (int i = 0; i < 3; i++) g.simplex.vertex[i] = epa->vertex[epa->grow.faces[r.taken].vertex[i]];
  result->points = ct_gjk_points(&g);
  result->near[0] = g.simplex.vertex[0].index_a;
  result->near[1] = g.simplex.vertex[0].index_b;
}

void ct_epa_bracket(ct_epa *epa, const ct_convex_proxy *a, const ct_convex_proxy *b, const ct_simplex *seed,
                    ct_epa_bracket_options options, ct_epa_result *result) {
  run r = {.epa = epa, .a = a, .b = b, .result = result};
  r.width = options.width;
  r.known = options.known;
  r.resume = options.resume;
  r.rounds = options.rounds;
  solve(&r, seed);
}

int ct_epa_directions(const ct_epa *e, double limit, ct_vec3 *normals, int room) {
  int count = 0;
  for (uint32_t face = 0; face < e->grow.face_count && count < room; face++) {
    if (!ct_hull_builder_is_alive(&e->grow, face) || e->plane[face].offset > limit) continue;
    ct_epa_plane plane = plane_of(e, face);
    if (plane.offset > limit) continue;
    ct_vec3 n = ct_neg(plane.normal);
    bool same = false;
    for (int i = 0; i < count && !same; i++) same = ct_dot(n, normals[i]) > SAME_DIRECTION;
    if (!same) normals[count++] = n;
  }
  return count;
}

bool ct_epa_origin(const ct_epa *e, ct_minkowski_vertex vertex[4], double weights[4]) {
  /* The tetrahedra of one vertex with all faces fill the polytope; the one with the largest least weight holds the origin best. */
  double most = -INFINITY;
  uint32_t apex = CT_HULL_BUILDER_NONE;
  for (uint32_t face = 0; face < e->grow.face_count; face++) {
    if (!ct_hull_builder_is_alive(&e->grow, face)) continue;
    const uint32_t *v = e->grow.faces[face].vertex;
    if (apex == CT_HULL_BUILDER_NONE) apex = v[0];
    if (v[0] == apex || v[1] == apex || v[2] == apex) continue;
    const ct_vec3 at[4] = {e->point[apex], e->point[v[0]], e->point[v[1]], e->point[v[2]]};
    double w[4];
    if (!ct_origin_weights(at, w)) continue;
    double least = ct_min2(ct_min2(w[0], w[1]), ct_min2(w[2], w[3]));
    if (least <= most) continue;
    most = least;
    for (int i = 0; i < 4; i++) {
      weights[i] = w[i];
      vertex[i] = e->vertex[i ? v[i - 1] : apex];
    }
  }
  return most >= 0.0;
}
