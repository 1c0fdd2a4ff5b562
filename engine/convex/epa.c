/* EPA: expansion of the polytope, the binary heap of its faces by offset, and the selection of the
 * depth and its normal. */
#include "convex/epa.h"
#include "base/array.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* A face is final if the support point is at most this many u of the size beyond it, which is the
 * round-off of its unit normal. */
#define SLACK_FACTOR 3.0
/* Two faces tie if their offsets differ by at most this many u of the size, which is the round-off
 * of one dot product. */
#define TIE_FACTOR 2.0
/* Largest number of tied faces that are evaluated to break the tie. */
#define TIES_MAX 64
/* Two directions count as the same if the cosine of the angle between them is greater: 8
 * degrees. */
#define SAME_DIRECTION 0.99
/* Iterations between two polls of the cancel flag: about 100 us for large hulls. */
#define ITERATIONS_PER_POLL 16

typedef struct ct_epa_plane {
  ct_vec3 normal; /* unit, outward; computed when the face is first at the top of the heap */
  double offset;  /* signed distance of the face's plane from the origin, m, if `known`; else a
                     lower bound of that distance */
  bool known;
} ct_epa_plane;

typedef struct epa_run {
  ct_epa *epa;
  const ct_convex_proxy *a, *b;
  double size, grid, slack, tie;
  double width, known; /* options of ct_epa_bracket; width < 0: ct_epa_run */
  bool resume;
  int iterations_max;
  uint32_t hint[2], final_face; /* hint: start vertices of hill climbing; final_face: index of the
                                   face that gives normal and depth */
  ct_epa_result *result;
} epa_run;

void ct_epa_free(ct_epa *epa) {
  ct_hull_builder_free(&epa->grow);
  free(epa->vertex);
  free(epa->point);
  free(epa->plane);
  free(epa->heap);
  memset(epa, 0, sizeof *epa);
}

static void release_epa_part(void *part) { ct_epa_free(part); }

const ct_workspace_part_type ct_epa_part_type = {sizeof(ct_epa), offsetof(ct_epa, out_of_memory),
                                                 release_epa_part};
_Static_assert(sizeof(ct_epa) <= CT_WORKSPACE_PART_MAX, "the part fits its slot");

static bool reserve_epa_vertex(ct_epa *e) {
  if (e->vertex_count < e->vertex_capacity) return true;
  uint32_t n = ct_array_capacity32(e->vertex_capacity, (size_t)e->vertex_count + 1);
  bool ok = ct_array_resize(&e->vertex, n, sizeof *e->vertex) &&
            ct_array_resize(&e->point, n, sizeof *e->point);
  if (ok) e->vertex_capacity = n;
  return ok;
}

static bool reserve_face_planes(ct_epa *e, uint32_t count) {
  if (count <= e->plane_capacity) return true;
  uint32_t n = ct_array_capacity32(e->plane_capacity, count);
  bool ok = ct_array_resize(&e->plane, n, sizeof *e->plane) &&
            ct_array_resize(&e->heap, n, sizeof *e->heap);
  if (ok) e->plane_capacity = n;
  return ok;
}

/* True if face f comes before g in the heap: the lesser offset first; at equal offsets the lesser
 * index. */
static bool face_precedes(const ct_epa *e, uint32_t f, uint32_t g) {
  double a = e->plane[f].offset, b = e->plane[g].offset;
  return a < b || (a == b && f < g);
}

static void push_epa_face(ct_epa *e, uint32_t face) {
  assert(face < e->plane_capacity && e->heap_count < e->plane_capacity);
  uint32_t i = e->heap_count++;
  while (i > 0 && face_precedes(e, face, e->heap[(i - 1) / 2])) {
    e->heap[i] = e->heap[(i - 1) / 2];
    i = (i - 1) / 2;
  }
  e->heap[i] = face;
}

static uint32_t pop_epa_face(ct_epa *e) {
  assert(e->heap_count > 0);
  uint32_t top = e->heap[0], last = e->heap[--e->heap_count], i = 0;
  for (uint32_t child = 1; child < e->heap_count; child = 2 * i + 1) {
    if (child + 1 < e->heap_count && face_precedes(e, e->heap[child + 1], e->heap[child])) child++;
    if (!face_precedes(e, e->heap[child], last)) break;
    e->heap[i] = e->heap[child];
    i = child;
  }
  if (e->heap_count) e->heap[i] = last;
  return top;
}

/* Computes the plane of a face; its unit normal is exact up to round-off. */
static ct_epa_plane compute_face_plane(const ct_epa *e, uint32_t face) {
  assert(face < e->plane_capacity);
  if (e->plane[face].known) return e->plane[face];
  const uint32_t *v = e->grow.faces[face].vertex;
  ct_vec3 n = ct_unit_or(ct_exact_normal(e->point[v[0]], e->point[v[1]], e->point[v[2]]),
                         ct_vec(1.0, 0.0, 0.0));
  return (ct_epa_plane){n, ct_dot(n, e->point[v[2]]), true};
}

/* Pops the face of least offset from the heap; CT_HULL_BUILDER_NONE if there is none. Most faces
 * are replaced before they are at the top of the heap, so the plane of a face is computed only
 * there. Until then its key is a lower bound of its offset; the exact offset may push the face
 * back. */
static uint32_t pop_nearest_face(ct_epa *e) {
  while (e->heap_count) {
    uint32_t face = pop_epa_face(e);
    if (!ct_hull_builder_is_alive(&e->grow, face)) continue;
    if (e->plane[face].known) return face;
    e->plane[face] = compute_face_plane(e, face);
    if (!e->heap_count || face_precedes(e, face, e->heap[0])) return face;
    push_epa_face(e, face);
  }
  return CT_HULL_BUILDER_NONE;
}

/* Returns a lower bound of a face's offset: the offset by its rounded normal, minus the error of
 * this normal and the other round-off. */
static double bound_face_offset(const epa_run *r, uint32_t face) {
  const ct_hull_builder_face *f = &r->epa->grow.faces[face];
  double length = ct_norm(f->normal);
  if (!(length > 0.0)) return -INFINITY;
  double error = 2.0 * f->slack / length + 8.0 * CT_UNIT_ROUNDOFF;
  if (error > 0.1) return -INFINITY;
  return ct_dot(f->normal, r->epa->point[f->vertex[2]]) / length - error * r->size;
}

/* Pushes the faces that the hull builder has just created. False: out of memory. */
static bool push_created_faces(epa_run *r) {
  ct_epa *e = r->epa;
  if (!reserve_face_planes(e, e->grow.face_count)) return false;
  for (uint32_t i = 0; i < e->grow.created_count; i++) {
    uint32_t face = e->grow.created[i];
    e->plane[face] = (ct_epa_plane){.offset = bound_face_offset(r, face), .known = false};
    push_epa_face(e, face);
  }
  return true;
}

static bool append_epa_support(epa_run *r, ct_vec3 direction) {
  ct_epa *e = r->epa;
  if (!reserve_epa_vertex(e)) return false;
  ct_minkowski_vertex m = ct_minkowski_support(r->a, r->b, ct_neg(direction), r->hint);
  m.w = ct_round_to_grid(m.w, r->grid);
  e->vertex[e->vertex_count] = m;
  e->point[e->vertex_count++] = m.w;
  r->result->supports++;
  return true;
}

/* Returns the index of the point farthest from the point, line or plane through `rank` chosen
 * points. *measure: set to 0 if all points are in it. */
static uint32_t find_farthest_from_flat(const ct_epa *e, const uint32_t *chosen, int rank,
                                        double *measure) {
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
      if (m <= *measure ||
          ct_orient3d(p, e->point[chosen[1]], e->point[chosen[2]], e->point[i]) == 0)
        continue;
    }
    if (m > *measure) {
      *measure = m;
      best = i;
    }
  }
  return best;
}

/* Appends support points in both directions across the point, line or plane through `rank` chosen
 * points. False: out of memory. */
static bool append_supports_across(epa_run *r, const uint32_t *chosen, int rank) {
  const ct_epa *e = r->epa;
  ct_vec3 p = e->point[chosen[0]], n;
  if (rank == 3) {
    n = ct_exact_normal(p, e->point[chosen[1]], e->point[chosen[2]]);
    return append_epa_support(r, n) && append_epa_support(r, ct_neg(n));
  }
  ct_vec3 t = rank == 2 ? ct_sub(e->point[chosen[1]], p) : ct_vec(0.0, 0.0, 0.0);
  for (int i = 0; i < 3; i++) {
    n = ct_vec(i == 0 ? 1.0 : 0.0, i == 1 ? 1.0 : 0.0, i == 2 ? 1.0 : 0.0);
    if (rank == 2) n = ct_cross(t, n);
    if (ct_max_abs(n) == 0.0) continue;
    if (!append_epa_support(r, n) || !append_epa_support(r, ct_neg(n))) return false;
  }
  return true;
}

/* Starts the polytope with four affinely independent points. CT_DEGENERATE_HULL: the Minkowski
 * difference is flat; *flat_normal is then set to its normal. CT_OUT_OF_MEMORY. */
static ct_status start_polytope(epa_run *r, const ct_simplex *start, ct_vec3 *flat_normal) {
  ct_epa *e = r->epa;
  e->vertex_count = e->heap_count = e->grow.face_count = 0;
  /* Begin with the vertices of GJK's simplex. */
  for (int i = 0; start && i < start->count; i++) {
    if (!reserve_epa_vertex(e)) return CT_OUT_OF_MEMORY;
    e->vertex[e->vertex_count] = start->vertex[i];
    e->point[e->vertex_count] = e->vertex[e->vertex_count].w =
        ct_round_to_grid(start->vertex[i].w, r->grid);
    e->vertex_count++;
  }
  if (!e->vertex_count && !append_epa_support(r, ct_vec(1.0, 0.0, 0.0))) return CT_OUT_OF_MEMORY;
  /* GJK's simplex is usually a tetrahedron already. Otherwise points are added until four are
   * affinely independent. */
  uint32_t chosen[4] = {0, 1, 2, 3};
  if (e->vertex_count == 4 && ct_hull_builder_start(&e->grow, e->point, chosen) == CT_OK)
    return CT_OK;
  for (int rank = 1; rank < 4; rank++) {
    double measure;
    chosen[rank] = find_farthest_from_flat(e, chosen, rank, &measure);
    if (measure == 0.0) {
      if (!append_supports_across(r, chosen, rank)) return CT_OUT_OF_MEMORY;
      chosen[rank] = find_farthest_from_flat(e, chosen, rank, &measure);
    }
    if (measure == 0.0) {
      *flat_normal =
          rank == 3
              ? ct_exact_normal(e->point[chosen[0]], e->point[chosen[1]], e->point[chosen[2]])
              : ct_cross(ct_sub(e->point[chosen[1]], e->point[chosen[0]]), ct_vec(0.0, 0.0, 1.0));
      return CT_DEGENERATE_HULL;
    }
  }
  return ct_hull_builder_start(&e->grow, e->point, chosen);
}

/* Writes the result for a Minkowski difference that is flat within the grid: the smaller of the
 * depths in both directions of its normal, which is round-off. */
static void write_flat_depth(epa_run *r, ct_vec3 normal) {
  ct_vec3 n = ct_unit_or(normal, ct_vec(1.0, 0.0, 0.0));
  double radii = r->a->radius[0] + r->b->radius[0];
  double up = ct_proxy_support_value(r->b, n) + ct_proxy_support_value(r->a, ct_neg(n)) - radii;
  double down = ct_proxy_support_value(r->b, ct_neg(n)) + ct_proxy_support_value(r->a, n) - radii;
  bool upward = up < down || (up == down && ct_normal_greater(ct_neg(n), n));
  r->result->normal = upward ? ct_neg(n) : n;
  r->result->depth = upward ? up : down;
  r->result->least = ct_min2(r->result->depth, -r->slack);
}

/* Processes a final face: the first one determines the depth; of later ones within round-off of it,
 * the tie rule selects the normal. */
static void accept_final_face(epa_run *r, uint32_t face, double height, int *accepted) {
  const ct_epa_plane *plane = &r->epa->plane[face];
  ct_vec3 n = ct_neg(plane->normal);
  ct_epa_result *result = r->result;
  if ((*accepted)++ == 0) {
    result->least = ct_min2(plane->offset, height);
    result->first_normal = n;
    result->first_depth = height;
  } else {
    if (ct_norm(ct_sub(n, result->normal)) > 1e-6) result->several = true;
    if (!ct_normal_greater(n, result->normal)) return;
  }
  result->normal = n;
  result->depth = height;
  r->final_face = face;
}

/* Expands the polytope until the nearest faces are final. CT_LIMIT: too many iterations; normal and
 * depth are then those of the best bound. */
static ct_status expand_polytope(epa_run *r) {
  ct_epa *e = r->epa;
  double best = INFINITY;
  bool bracket = r->width >= 0.0;
  int accepted = 0;
  for (int iteration = 0; iteration < r->iterations_max; iteration++) {
    if (iteration % ITERATIONS_PER_POLL == 0 && ct_cancel_raised(e->cancel)) return CT_CANCELLED;
    /* Take the nearest face; stop if the bounds are close enough or no tie is left. */
    uint32_t face = pop_nearest_face(e);
    if (face == CT_HULL_BUILDER_NONE) return CT_OK;
    ct_epa_plane plane = e->plane[face];
    if (bracket && ct_min2(best, r->known) - plane.offset <= r->width) {
      r->result->least = plane.offset;
      push_epa_face(e, face);
      return CT_OK;
    }
    if (accepted && (plane.offset > r->result->least + r->tie || accepted >= TIES_MAX))
      return CT_OK;
    /* Evaluate the support along the face's normal, which yields an upper bound of the depth. */
    const ct_minkowski_vertex *corner = &e->vertex[e->grow.faces[face].vertex[2]];
    r->hint[0] = corner->index_a;
    r->hint[1] = corner->index_b;
    if (!append_epa_support(r, plane.normal)) return CT_OUT_OF_MEMORY;
    uint32_t newest = e->vertex_count - 1;
    ct_vec3 beyond = ct_sub(e->point[newest], e->point[e->grow.faces[face].vertex[2]]);
    double height = plane.offset + ct_dot(plane.normal, beyond);
    if (!accepted && height < best) {
      best = height;
      r->result->normal = ct_neg(plane.normal);
      r->result->depth = height;
      r->result->least = plane.offset;
    }
    /* No point is beyond the face, so the face is final. */
    e->grow.points = e->point;
    if (height - plane.offset <= r->slack ||
        ct_hull_builder_face_sees(&e->grow, face, e->point[newest]) <= 0) {
      e->vertex_count--;
      accept_final_face(r, face, height, &accepted);
      if (bracket) {
        push_epa_face(e, face);
        return CT_OK;
      }
      continue;
    }
    /* Otherwise add the support point to the hull. */
    if (!accepted) r->result->least = plane.offset;
    ct_status status = ct_hull_builder_add(&e->grow, newest, face);
    if (status != CT_OK) return status;
    if (!push_created_faces(r)) return CT_OUT_OF_MEMORY;
  }
  return accepted ? CT_OK : CT_LIMIT;
}

static void run_epa(epa_run *r, const ct_simplex *start) {
  double size = r->size = ct_minkowski_size(r->a, r->b);
  r->final_face = CT_HULL_BUILDER_NONE;
  r->grid = ct_grid(size);
  r->slack = CT_UNIT_ROUNDOFF * SLACK_FACTOR * size;
  r->tie = CT_UNIT_ROUNDOFF * TIE_FACTOR * size;
  ct_epa_result *result = r->result;
  *result = (ct_epa_result){.normal = {1.0, 0.0, 0.0}, .status = CT_PAIR_OK};
  /* Start and expand, or resume. For a flat difference the result is known at once. */
  ct_vec3 flat = {0.0, 0.0, 0.0};
  ct_status status = r->resume ? CT_OK : start_polytope(r, start, &flat);
  if (status == CT_DEGENERATE_HULL) {
    write_flat_depth(r, flat);
    return;
  }
  if (status == CT_OK)
    status = r->resume || push_created_faces(r) ? expand_polytope(r) : CT_OUT_OF_MEMORY;
  if (status == CT_OK) return;
  if (status == CT_OUT_OF_MEMORY) {
    /* Some faces may have no planes: drop all faces, so that no later call reads them. */
    r->epa->grow.face_count = r->epa->heap_count = 0;
    r->epa->out_of_memory = true;
  }
  /* No face was evaluated: any direction gives a valid bound. */
  if (result->depth == 0.0 && result->least == 0.0) {
    result->depth = size;
    result->least = -size;
  }
  result->status = CT_PAIR_ITERATION_LIMIT;
}

void ct_epa_run(ct_epa *epa, const ct_convex_proxy *a, const ct_convex_proxy *b,
                const ct_simplex *start, ct_epa_result *result) {
  assert(!ct_proxy_is_tapered(a) && !ct_proxy_is_tapered(b));
  epa_run r = {.epa = epa,
               .a = a,
               .b = b,
               .result = result,
               .width = -1.0,
               .known = INFINITY,
               .iterations_max = CT_EPA_ITERATIONS_MAX};
  run_epa(&r, start);
  result->on_face = r.final_face != CT_HULL_BUILDER_NONE;
  if (!result->on_face) return;
  ct_gjk g = {
      .a = a, .b = b, .simplex = {.count = 3, .normal = result->normal, .value = -result->depth}};
  for (int i = 0; i < 3; i++)
    g.simplex.vertex[i] = epa->vertex[epa->grow.faces[r.final_face].vertex[i]];
  result->points = ct_gjk_points(&g);
  result->hint[0] = g.simplex.vertex[0].index_a;
  result->hint[1] = g.simplex.vertex[0].index_b;
}

void ct_epa_bracket(ct_epa *epa, const ct_convex_proxy *a, const ct_convex_proxy *b,
                    const ct_simplex *start, ct_epa_bracket_options options,
                    ct_epa_result *result) {
  assert(options.width >= 0.0 && options.rounds > 0);
  epa_run r = {.epa = epa, .a = a, .b = b, .result = result};
  r.width = options.width;
  r.known = options.known;
  r.resume = options.resume;
  r.iterations_max = options.rounds;
  run_epa(&r, start);
}

int ct_epa_directions(const ct_epa *e, double limit, ct_vec3 *normals, int capacity) {
  assert(capacity > 0);
  int count = 0;
  for (uint32_t face = 0; face < e->grow.face_count && count < capacity; face++) {
    if (!ct_hull_builder_is_alive(&e->grow, face) || e->plane[face].offset > limit) continue;
    ct_epa_plane plane = compute_face_plane(e, face);
    if (plane.offset > limit) continue;
    ct_vec3 n = ct_neg(plane.normal);
    bool same = false;
    for (int i = 0; i < count && !same; i++) same = ct_dot(n, normals[i]) > SAME_DIRECTION;
    if (!same) normals[count++] = n;
  }
  return count;
}

bool ct_epa_origin(const ct_epa *e, ct_minkowski_vertex vertex[4], double weights[4]) {
  /* The tetrahedra from one vertex to all faces fill the polytope. Choose the tetrahedron with the
   * largest least weight of the origin. */
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
