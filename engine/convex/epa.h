/* Depth of two overlapping (or touching) untapered cores: the face of their Minkowski difference nearest to the origin.
 *
 * A polytope inside the difference grows by supports. The face of least signed offset is looked behind first; when nothing lies
 * behind it the offset is the depth. Offsets may be negative: a start that does not hold the origin needs no special treatment,
 * and a tiny separation is certified by the same arithmetic as a tiny depth. Vertices are on a grid, topology is decided by exact
 * predicates (hull/hull_builder.h) and normals are exact to rounding, so slivers do no harm and every step gains a vertex.
 * van den Bergen 2001. Not here: witness points, radii.
 */
#ifndef CONVEX_EPA_H
#define CONVEX_EPA_H

#include "convex/gjk.h"
#include "hull/hull_builder.h"
#include <contact/cancel.h>
#include <contact/pair.h>

/* Memory of the growing polytope; zeroed is empty. Kept warm by the workspace. */
typedef struct ct_epa {
  ct_hull_builder grow;
  ct_minkowski_vertex *vertex; /* [vertex_capacity] */
  ct_vec3 *point;             /* [vertex_capacity] vertex[i].w again, as the hull wants it */
  struct ct_epa_plane *plane; /* [plane_capacity] by face index */
  uint32_t *heap;             /* [plane_capacity] faces by offset */
  uint32_t vertex_count, vertex_capacity, plane_capacity, heap_count;
  bool out_of_memory;      /* memory was refused; never cleared here */
  const ct_cancel *cancel; /* may be NULL; raised, a run ends as where memory is refused, but may be resumed */
} ct_epa;
void ct_epa_free(ct_epa *epa);

typedef struct ct_epa_result {
  ct_vec3 normal;       /* from a to b; among equally deep directions the one that is lexicographically greatest */
  double depth;         /* of the cores along the normal; negative: separated by that much */
  ct_vec3 first_normal; /* of the face that was nearest by value alone, and its depth */
  double first_depth;
  double least;          /* the true depth is not below it */
  bool on_face;          /* ct_epa_run: normal and depth are those of a face, */
  ct_proxy_points points; /* and these are the points of the cores that meet at its point nearest to the origin, to its rounding */
  bool several;          /* other directions are as deep to round-off */
  ct_pair_status status;
  uint32_t supports, near[2]; /* near: vertices of the cores near the normal */
} ct_epa_result;

typedef struct ct_epa_bracket_options {
  double width; /* stop when the depth is known to this, m */
  double known; /* a depth that is known to be reached, or INFINITY, m */
  bool resume;  /* go on with the polytope of the last run, of the same cores; not after a flat one */
  int rounds;   /* at most so many supports; CT_PAIR_ITERATION_LIMIT beyond, and the next run may resume */
} ct_epa_bracket_options;

/* `seed`: vertices found so far, or NULL. Where memory is refused: CT_PAIR_ITERATION_LIMIT, a true bound, an empty polytope. The
 * same when it is cancelled, with the polytope as it stands. */
void ct_epa_run(ct_epa *epa, const ct_convex_proxy *a, const ct_convex_proxy *b, const ct_simplex *seed, ct_epa_result *result);

/* The same for curved cores, whose polytope never ends: until the depth is known well enough, or faces run out. The normal is
 * that of the least depth seen; ties are not looked for. */
void ct_epa_bracket(ct_epa *epa, const ct_convex_proxy *a, const ct_convex_proxy *b, const ct_simplex *seed,
                    ct_epa_bracket_options options, ct_epa_result *result);

/* After a run: normals (from a to b) of faces with offsets up to `limit`, no two of them nearly the same; at most `room`. Returns
 * how many. */
int ct_epa_directions(const ct_epa *epa, double limit, ct_vec3 *normals, int room);

/* The vertices and weights that make the origin in the polytope of the last run; false when it does not hold the origin. */
bool ct_epa_origin(const ct_epa *epa, ct_minkowski_vertex vertex[4], double weights[4]);

#endif
