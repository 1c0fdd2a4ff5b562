/* What keeps a mesh from bounding a solid, and repairs that are asked for.
 *
 * Defects: edges of one triangle (open), of three and more (non-manifold), and edges that triangles
 * run through more often one way than the other (inconsistent). Open edges form holes: loops that
 * run against the triangles beside them, so that a cap whose triangles run along the loop agrees
 * with the mesh. Where several meet in a vertex, each continues within its fan of triangles, and a loop
 * that comes back to a vertex ends there.
 *
 * Repairs, in this order. Weld: each vertex moves into the first vertex before it that has not
 * moved itself and is nearest within the tolerance, so that no vertex moves by more. Kept
 * duplicates: of triangles given twice, those are kept without which the mesh would be open, as
 * where closed parts of a union share a face; parts that are given twice as a whole are left out,
 * as always. Caps: each hole whose vertices are in a plane, to the planarity, is filled with
 * triangles; a hole within another in the same plane that runs the other way round leaves a ring,
 * which is filled. Vertices and triangles keep the caller's numbers, and the triangles of caps
 * follow.
 */
#ifndef CONTACT_MESH_REPAIR_H
#define CONTACT_MESH_REPAIR_H

#include <contact/linkage.h>
#include <contact/mesh.h>

CT_DECLARATIONS_BEGIN

/* Distance of a hole's vertices from their plane, in parts of the hole's size, up to which it is
 * called planar where the caller sets nothing: holes of models with polygons for circles are bent
 * by up to some 0.4 %, and by 10 % and more where they go round a corner.
 */
#define CT_MESH_PLANARITY 0.01
/* Edges of the largest hole that is capped: filling takes steps quadratic in them. */
#define CT_MESH_CAP_EDGES_MAX 4096u
/* Edges that defects name one by one. */
#define CT_MESH_DEFECT_EDGES 10u

typedef enum ct_mesh_edge_kind {
  CT_MESH_EDGE_OPEN,
  CT_MESH_EDGE_NON_MANIFOLD,
  CT_MESH_EDGE_INCONSISTENT
} ct_mesh_edge_kind;

/* An edge at fault. One that is both inconsistent and of three or more triangles is NON_MANIFOLD.
 */
typedef struct ct_mesh_edge {
  ct_mesh_edge_kind kind;
  uint32_t triangle;  /* the lowest of its triangles, number as given */
  uint32_t triangles; /* how many have it */
  uint32_t vertex[2]; /* as given for that triangle, in its sense */
} ct_mesh_edge;

/* What became of a hole. */
typedef enum ct_mesh_hole_outcome {
  CT_MESH_HOLE_LEFT,   /* nobody asked for caps */
  CT_MESH_HOLE_CAPPED, /* filled */
  CT_MESH_HOLE_BROKEN, /* no loop: it ends at edges of three or more triangles, or where triangles
                          do not agree */
  CT_MESH_HOLE_NOT_PLANAR, /* flatness beyond planarity times size */
  CT_MESH_HOLE_CROSSED,    /* seen along the normal, edges cross or touch each other */
  CT_MESH_HOLE_TOO_LARGE   /* more than CT_MESH_CAP_EDGES_MAX edges */
} ct_mesh_hole_outcome;

/* A loop of open edges, or a chain where edges of other kinds break it. */
typedef struct ct_mesh_hole {
  uint32_t first,
      edges;   /* vertices loop[first] to loop[first + edges - 1]; of a chain one more, its end */
  bool closed; /* a loop */
  uint32_t triangle; /* the lowest of the triangles at its edges, number as given */
  double perimeter;  /* m */
  double size;       /* diagonal of the box around it, m */
  double flatness;   /* largest distance of a vertex from the plane of the loop's area through their
                        middle, m */
  ct_vec3 center;    /* middle of the vertices */
  ct_vec3 normal;    /* outward unit normal of a cap; (0, 0, 0) where the loop encloses no area */
  ct_mesh_hole_outcome outcome;
  uint32_t cap_first, cap_triangles; /* CAPPED: numbers of the cap's triangles; a ring's two loops
                                        have the same ones */
} ct_mesh_hole;

typedef struct ct_mesh_defects {
  uint32_t open_edges, non_manifold_edges, inconsistent_edges;
  uint32_t edge_count;                     /* of those named */
  ct_mesh_edge edge[CT_MESH_DEFECT_EDGES]; /* the first ones, ascending by triangle and corner */
  uint32_t hole_count;
  ct_mesh_hole *holes; /* [hole_count] ascending by `triangle` */
  uint32_t *loop;      /* vertices of the holes; of bit-equal ones the first */
} ct_mesh_defects;

/* Defects of a mesh as it was made; none of a watertight one. The caller frees them.
 * CT_OUT_OF_MEMORY, CT_CANCELLED. `cancel` may be NULL. O(n log n) */
ct_status ct_mesh_find_defects(const ct_mesh *mesh, const ct_cancel *cancel, ct_mesh_defects *out);
void ct_mesh_defects_free(ct_mesh_defects *defects); /* leaves it zeroed */

/* Zero: nothing is repaired. */
typedef struct ct_mesh_repair_options {
  double weld;          /* tolerance, m; 0: no vertex moves */
  bool keep_duplicates; /* where the mesh would be open without them */
  bool cap_holes;
  double planarity; /* of a hole that is capped, in parts of its size; 0: CT_MESH_PLANARITY */
} ct_mesh_repair_options;
/* Defaults: planarity CT_MESH_PLANARITY; nothing is repaired. */
ct_mesh_repair_options ct_mesh_repair_options_default(void);

typedef struct ct_mesh_repaired {
  ct_mesh *mesh;          /* owned; NULL unless CT_OK */
  ct_mesh_report report;  /* of the mesh, as ct_mesh_create fills it */
  uint32_t welded;        /* vertices moved */
  double displacement;    /* the largest of a vertex, m; at most the tolerance */
  uint32_t duplicates;    /* duplicate triangles kept */
  uint32_t cap_triangles; /* added */
  ct_mesh_defects before; /* of the welded mesh, whose holes have their outcome */
} ct_mesh_repaired;

/* A mesh of the repaired arrays, as ct_mesh_create makes one; with options of zeros it is the same.
 * Statuses as there, and CT_LIMIT for a tolerance or planarity that is negative or not finite. *out
 * is filled on CT_OK, CT_OPEN_MESH and CT_DEGENERATE_MESH; the caller frees it, and has the
 * reference out->mesh. Cost O(n log n), and O(e^2) for a hole of e edges. Ear clipping: Meisters
 * 1975; bridges to inner loops: Held 2001. */
ct_status ct_mesh_repair(const ct_mesh_data *data, ct_mesh_reading reading,
                         const ct_mesh_repair_options *options, const ct_cancel *cancel,
                         ct_mesh_repaired *out);
/* Frees the defects; the mesh is not released. */
void ct_mesh_repaired_free(ct_mesh_repaired *repaired);

CT_DECLARATIONS_END

#endif
