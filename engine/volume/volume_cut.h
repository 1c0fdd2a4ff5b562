/* Clipping of a convex polyhedron by planes, one after the other, on a half-edge structure.
 *
 * Rounded heights decide which vertices a plane removes. The removed set is then adjusted so that
 * it and its complement are each connected, as they are for exact heights. Hence each face is cut
 * at most once, one new face closes the cut, and the surface stays closed and simple for any
 * round-off. Vertices may coincide; no tolerance merges them. */
#ifndef VOLUME_VOLUME_CUT_H
#define VOLUME_VOLUME_CUT_H

#include "volume/volume_double_double.h"

#define CT_CUT_NONE UINT32_MAX

/* A half-edge: starts at vertex `origin` and is followed by `next` in the loop of `face`, which is
 * on its left. `twin` is the half-edge of the neighbouring face in the opposite direction. */
typedef struct ct_cut_edge {
  uint32_t origin, next, twin, face;
} ct_cut_edge;

/* A crossing of the plane with an edge: half-edge `out` goes from a remaining vertex to a removed
 * one, and `back` is the half-edge by which the same face returns to the remaining side. */
typedef struct ct_cut_crossing {
  uint32_t out, back;
  uint32_t vertex, edge, cap; /* the new vertex; the face's new half-edge from it; that half-edge's
                                 twin in the new face */
  ct_dd3 at;
} ct_cut_crossing;

typedef struct ct_cut {
  uint32_t vertex_count, face_count, edge_count;
  double *x, *y, *z; /* [vertex_count] vertices, 16-byte aligned; the last vertex is repeated once
                        for the SIMD lanes */
  double *low_x, *low_y, *low_z; /* low parts of the vertices as double-doubles; 0 unless the clip
                                    is in double-double arithmetic */
  double *height;                /* [vertex_count] heights above the last plane evaluated */
  uint32_t *edge_of;             /* [vertex_count] a half-edge that starts at each vertex */
  ct_cut_edge *
      edges; /* [edge_count] slots of half-edges; the free ones are linked as a list from `spare` */
  uint32_t *first; /* [face_count] a half-edge of each face; CT_CUT_NONE: the face does not exist */

  /* Private. */
  uint32_t *vertex_mark, *face_mark, *outside, *head, *link;
  ct_cut_crossing *crossings;
  uint32_t outside_count, crossing_count, spare, stamp;
  const ct_wide_plane
      *plane;      /* the plane evaluated last, if in double-double arithmetic; else NULL */
  size_t capacity; /* largest number of faces */
  void *block;
} ct_cut;

/* Frees the memory. A zero-initialised ct_cut is empty. */
void ct_cut_free(ct_cut *cut);

/* Starts with a polyhedron and reserves room for `more` new faces. False: out of memory. */
bool ct_cut_open(ct_cut *cut, const ct_volume_body *body, uint32_t more);

/* Computes the heights of all vertices above the plane n . p = offset, and the least and largest of
 * them. */
void ct_cut_heights(ct_cut *cut, ct_vec3 normal, double offset, double *least, double *most);

/* As ct_cut_heights in double-double arithmetic, for vertices with about 106 bits. Heights of
 * vertices within `near` of the plane have a relative error of a few unit round-offs.
 *
 * *plane must remain valid until ct_cut_plane, which computes new vertices with the same
 * accuracy. */
void ct_cut_wide_heights(ct_cut *cut, const ct_wide_plane *plane, double near, double *least,
                         double *most);

/* Removes the part above the plane whose heights were computed last; they must have *most > 0 and
 * *least <= 0. Vertices at height 0 remain. `face`: unused index for the new face. Cost: the
 * removed part plus a pass over the vertices. */
void ct_cut_plane(ct_cut *cut, uint32_t face);

static inline ct_vec3 ct_cut_vertex(const ct_cut *cut, uint32_t v) {
  return ct_vec(cut->x[v], cut->y[v], cut->z[v]);
}

static inline ct_dd3 ct_cut_wide_vertex(const ct_cut *cut, uint32_t v) {
  return (ct_dd3){
      {cut->x[v], cut->low_x[v]}, {cut->y[v], cut->low_y[v]}, {cut->z[v], cut->low_z[v]}};
}

/* Returns the mean of the vertices. */
ct_vec3 ct_cut_middle(const ct_cut *cut);

#endif
