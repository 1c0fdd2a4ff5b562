/* Penetration depth of two untapered cores by the expanding polytope algorithm (EPA, van den Bergen
 * 2001).
 *
 * EPA expands a polytope inside the Minkowski difference by support points. Each iteration
 * evaluates the support along the normal of the face of least signed offset. If the support point
 * is not beyond this face, its offset is the depth. Offsets may be negative: a start simplex that
 * does not contain the origin needs no special case, and a tiny gap is certified by the same
 * arithmetic as a tiny depth. Vertices are on a grid, the topology is decided by exact predicates
 * (hull/hull_builder.h), and normals are exact up to round-off. So slivers do no harm, and every
 * iteration adds a vertex.
 *
 * Not here: witness points of curved cores, radii of rounded bodies.
 */
#ifndef CONVEX_EPA_H
#define CONVEX_EPA_H

#include "convex/gjk.h"
#include "hull/hull_builder.h"
#include "pair/workspace.h"
#include <contact/base.h>
#include <contact/pair.h>

/* Memory of the expanding polytope. Zeroed: empty. The workspace reuses it for later pairs. */
typedef struct ct_epa {
  ct_hull_builder grow;
  ct_minkowski_vertex *vertex; /* [vertex_capacity] */
  /* [vertex_capacity] copy of vertex[i].w, in the layout that the hull builder needs */
  ct_vec3 *point;
  struct ct_epa_plane *plane; /* [plane_capacity] plane of each face, by face index */
  /* [plane_capacity] binary heap of face indices; the face of least offset is first */
  uint32_t *heap;
  uint32_t vertex_count, vertex_capacity, plane_capacity, heap_count;
  bool out_of_memory;      /* an allocation failed; EPA never resets it */
  const ct_cancel *cancel; /* may be NULL; a cancelled run may be resumed */
} ct_epa;
void ct_epa_free(ct_epa *epa);

/* The EPA part of a workspace, with the workspace's cancel flag. */
extern const ct_workspace_part_type ct_epa_part_type;
static inline ct_epa *ct_workspace_epa(ct_workspace *workspace) {
  ct_epa *epa = ct_workspace_part_of(workspace, CT_SLOT_EPA, &ct_epa_part_type);
  epa->cancel = ct_workspace_cancel(workspace);
  return epa;
}

typedef struct ct_epa_result {
  ct_vec3 normal; /* unit normal from a to b along which the depth is least; of directions with
                     equal depth, the lexicographically greatest */
  /* depth of the cores along the normal, m; negative: they are separated by -depth */
  double depth;
  ct_vec3 first_normal; /* normal and depth of the first face of least offset, also if other faces
                           tie with it */
  double first_depth;
  double least; /* certified lower bound of the depth, m */
  /* ct_epa_run: true if normal, depth and `points` belong to the same face of the polytope */
  bool on_face;
  ct_proxy_points points; /* if on_face: witness points of the cores */
  bool several;           /* true if other directions have the same depth up to round-off */
  ct_pair_status status;
  /* supports: number of support evaluations; hint: support vertices of both cores, from which a
   * later query can start hill climbing */
  uint32_t supports, hint[2];
} ct_epa_result;

typedef struct ct_epa_bracket_options {
  double width; /* the run ends when the bounds of the depth differ by at most this, m */
  double known; /* upper bound of the depth, given by the caller, m; INFINITY: none */
  bool resume;  /* true: continue with the polytope of the last run, which must have been for the
                   same cores and have had a volume */
  /* largest number of iterations; if it is reached, the status is CT_PAIR_ITERATION_LIMIT, and
   * another run may resume */
  int rounds;
} ct_epa_bracket_options;

/* Computes the depth of two untapered cores with vertices. `start`: the simplex of GJK, or NULL.
 * Out of memory: status CT_PAIR_ITERATION_LIMIT, with a valid bound and an empty polytope.
 * Cancelled: the same, but the polytope is retained. */
void ct_epa_run(ct_epa *epa, const ct_convex_proxy *a, const ct_convex_proxy *b,
                const ct_simplex *start, ct_epa_result *result);

/* Bounds the depth of curved cores, on which EPA never ends exactly: ends at options.width, at the
 * iteration limit, or when no face is left. The normal is the direction of the least depth found,
 * without regard to ties. */
void ct_epa_bracket(ct_epa *epa, const ct_convex_proxy *a, const ct_convex_proxy *b,
                    const ct_simplex *start, ct_epa_bracket_options options, ct_epa_result *result);

/* After a run: writes the normals (from a to b) of the faces with offsets up to `limit`, at most
 * `capacity` of them, and returns their number. Normals within 8 degrees of an earlier one are
 * skipped. */
int ct_epa_directions(const ct_epa *epa, double limit, ct_vec3 *normals, int capacity);

/* After a run: finds four polytope vertices and convex weights with which they combine to the
 * origin. False: the polytope does not contain the origin. */
bool ct_epa_origin(const ct_epa *epa, ct_minkowski_vertex vertex[4], double weights[4]);

#endif
