/* A convex polyhedron that planes are cut off, one after the other.
 *
 * Kept as half-edges. Which vertices a plane cuts off is decided by their rounded heights over it, but then made one connected
 * piece that leaves one connected piece, as every plane does that cuts a convex body: so each face is cut at most once, one new
 * face closes the cut, and the surface stays closed and simple whatever round-off does. Vertices may coincide; no tolerance joins
 * any.
 */
#ifndef VOLUME_VOLUME_CUT_H
#define VOLUME_VOLUME_CUT_H

#include "volume/volume_double_double.h"

#define CT_CUT_NONE UINT32_MAX

/* From `origin` along `face`, the face on the left; `twin` goes the other way. */
typedef struct ct_cut_edge {
  uint32_t origin, next, twin, face;
} ct_cut_edge;

/* An edge that a plane crosses, from what stays to what is cut off, and the one by which its face comes back. */
typedef struct ct_cut_crossing {
  uint32_t out, back;
  uint32_t vertex, edge, cap; /* where it is cut, the edge of the face from there, and that one's twin around the new face */
  ct_dd3 at;
} ct_cut_crossing;

typedef struct ct_cut {
  uint32_t vertex_count, face_count, edge_count;
  double *x, *y, *z;  /* [vertex_count], 16-byte aligned, the last one repeated once */
  double *low_x, *low_y, *low_z; /* what the coordinates are rounded by; 0 but for wide cuts */
  double *height;     /* of each vertex over the plane last looked at */
  uint32_t *edge_of;  /* an edge that starts at the vertex */
  ct_cut_edge *edges; /* [edge_count] slots; those of `spare` are free */
  uint32_t *first;    /* [face_count] an edge of each face; CT_CUT_NONE: the face is gone */

  /* Private. */
  uint32_t *vertex_mark, *face_mark, *outside, *head, *link;
  ct_cut_crossing *crossings;
  uint32_t outside_count, crossing_count, spare, stamp;
  const ct_wide_plane *plane; /* of wide cuts: the plane last looked at; else NULL */
  size_t capacity;            /* faces that there is room for */
  void *block;
} ct_cut;

/* A zeroed one is empty. */
void ct_cut_free(ct_cut *cut);

/* Starts with the body; `more` faces after its own may come. False: memory was refused. */
bool ct_cut_open(ct_cut *cut, const ct_volume_body *body, uint32_t more);

/* Heights of all vertices over the plane n.p = offset; *most and *least of them. */
void ct_cut_heights(ct_cut *cut, ct_vec3 normal, double offset, double *least, double *most);

/* The same in double-double arithmetic, for a solid with vertices to about 106 bits: heights of vertices within `near` of the plane
 * are right to some u of themselves. The plane is borrowed until ct_cut_plane, which then places new vertices as exactly. */
void ct_cut_wide_heights(ct_cut *cut, const ct_wide_plane *plane, double near, double *least, double *most);

/* Cuts off what is above the plane whose heights were asked for last, most > 0 and least <= 0: vertices of height 0 stay. The new
 * face gets the number `face`, one that is not there yet. Cost: what is cut off. */
void ct_cut_plane(ct_cut *cut, uint32_t face);

static inline ct_vec3 ct_cut_vertex(const ct_cut *cut, uint32_t v) { return ct_vec(cut->x[v], cut->y[v], cut->z[v]); }

static inline ct_dd3 ct_cut_wide_vertex(const ct_cut *cut, uint32_t v) {
  return (ct_dd3){{cut->x[v], cut->low_x[v]}, {cut->y[v], cut->low_y[v]}, {cut->z[v], cut->low_z[v]}};
}

/* The mean of the vertices. */
ct_vec3 ct_cut_middle(const ct_cut *cut);

#endif
