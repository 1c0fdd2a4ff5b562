/* Mesh repair: defects that keep a mesh from bounding a solid, and repairs on request.
 *
 * Defects: edges of one triangle (open), of three or more (non-manifold), and edges that triangles
 * traverse more often in one direction than in the other (inconsistent). Open edges form holes:
 * loops against the direction of the adjacent triangles, so the triangles of a cap along the loop
 * agree with the mesh. If several loops meet at a vertex, each continues within its fan of
 * triangles; a loop ends where it returns to a vertex.
 *
 * Repairs, in this order.
 * - Weld: each vertex moves to the nearest earlier vertex within the tolerance that has not moved
 *   itself, so no vertex moves farther.
 * - Keep duplicates: of triangles given twice, those are kept without which the mesh is open, as
 *   for closed parts that share a face. Parts duplicated as a whole are dropped, as always.
 * - Cap holes: each hole with planar vertices, to the planarity, is triangulated. A hole within
 *   another in the same plane, with opposite direction, leaves a ring, which is filled.
 *
 * Vertices and triangles keep the caller's numbers; the caps' triangles follow. */
#ifndef CONTACT_MESH_REPAIR_H
#define CONTACT_MESH_REPAIR_H

#include <contact/linkage.h>
#include <contact/mesh.h>

CT_DECLARATIONS_BEGIN

/* Default planarity of a hole: distance of its vertices from their plane, relative to its size.
 * Holes of models with polygons for circles deviate by up to 0.4 %, holes around a corner by 10 %
 * and more. */
#define CT_MESH_PLANARITY 0.01
/* Edges of the largest hole that is capped: triangulation takes a quadratic number of steps. */
#define CT_MESH_CAP_EDGES_MAX 4096u
/* Number of defect edges listed individually. */
#define CT_MESH_DEFECT_EDGES 10u

typedef enum ct_mesh_edge_kind {
  CT_MESH_EDGE_OPEN,
  CT_MESH_EDGE_NON_MANIFOLD,
  CT_MESH_EDGE_INCONSISTENT
} ct_mesh_edge_kind;

/* A defect edge. Edges that are inconsistent and have three or more triangles are NON_MANIFOLD. */
typedef struct ct_mesh_edge {
  ct_mesh_edge_kind kind;
  uint32_t triangle;  /* lowest of its triangles, as given */
  uint32_t triangles; /* number of triangles at the edge */
  uint32_t vertex[2]; /* as given, in that triangle's direction */
} ct_mesh_edge;

/* Outcome of a hole. */
typedef enum ct_mesh_hole_outcome {
  CT_MESH_HOLE_LEFT,       /* caps were not requested */
  CT_MESH_HOLE_CAPPED,     /* filled */
  CT_MESH_HOLE_BROKEN,     /* not a loop: ends at non-manifold or inconsistent edges */
  CT_MESH_HOLE_NOT_PLANAR, /* flatness > planarity * size */
  CT_MESH_HOLE_CROSSED,    /* edges cross or touch in the view along the normal */
  CT_MESH_HOLE_TOO_LARGE   /* more than CT_MESH_CAP_EDGES_MAX edges */
} ct_mesh_hole_outcome;

/* A loop of open edges, or a chain that other defect edges interrupt. */
typedef struct ct_mesh_hole {
  uint32_t first,
      edges;   /* vertices loop[first] to loop[first + edges - 1]; a chain has one more, its end */
  bool closed; /* a loop; false: a chain */
  uint32_t triangle; /* lowest triangle at its edges, as given */
  double perimeter;  /* m */
  double size;       /* diagonal of its AABB, m */
  /* largest distance of a vertex from the plane of the loop's area vector through the centre, m */
  double flatness;
  ct_vec3 center; /* mean of the vertices, m */
  ct_vec3 normal; /* outward unit normal of a cap; (0, 0, 0) if the loop encloses no area */
  ct_mesh_hole_outcome outcome;
  /* CAPPED: the cap's triangles; the two loops of a ring share them */
  uint32_t cap_first, cap_triangles;
} ct_mesh_hole;

typedef struct ct_mesh_defects {
  uint32_t open_edges, non_manifold_edges, inconsistent_edges;
  uint32_t edge_count;                     /* number of listed edges */
  ct_mesh_edge edge[CT_MESH_DEFECT_EDGES]; /* the first edges, ascending by triangle and corner */
  uint32_t hole_count;
  ct_mesh_hole *holes; /* [hole_count] ascending by `triangle` */
  uint32_t *loop;      /* vertices of the holes; the first of bit-equal ones */
} ct_mesh_defects;

/* Finds the defects of a mesh as built; a watertight mesh has none. The caller frees them with
 * ct_mesh_defects_free. `cancel` may be NULL.
 * CT_OUT_OF_MEMORY, CT_CANCELLED.
 * O(n log n). */
ct_status ct_mesh_find_defects(const ct_mesh *mesh, const ct_cancel *cancel, ct_mesh_defects *out);
void ct_mesh_defects_free(ct_mesh_defects *defects); /* frees the arrays and zeroes it */

/* Zeroed: nothing is repaired. */
typedef struct ct_mesh_repair_options {
  double weld;          /* tolerance, m; 0: no welding */
  bool keep_duplicates; /* if the mesh is open without them */
  bool cap_holes;
  double planarity; /* of capped holes, relative to their size; 0: CT_MESH_PLANARITY */
} ct_mesh_repair_options;
/* Defaults: planarity CT_MESH_PLANARITY; nothing is repaired. */
ct_mesh_repair_options ct_mesh_repair_options_default(void);

typedef struct ct_mesh_repaired {
  ct_mesh *mesh;          /* owned by the caller; NULL unless CT_OK */
  ct_mesh_report report;  /* of the mesh, as from ct_mesh_create */
  uint32_t welded;        /* number of moved vertices */
  double displacement;    /* largest vertex displacement, m; at most the tolerance */
  uint32_t duplicates;    /* duplicate triangles that were kept */
  uint32_t cap_triangles; /* triangles that caps added */
  ct_mesh_defects before; /* of the welded mesh; its holes have their outcomes */
} ct_mesh_repaired;

/* Builds a mesh from the repaired arrays, as ct_mesh_create; zeroed options repair nothing. *out is
 * filled on CT_OK, CT_OPEN_MESH and CT_DEGENERATE_MESH; the caller frees it and owns the reference
 * out->mesh. Statuses of ct_mesh_create, and CT_LIMIT for a negative or non-finite tolerance or
 * planarity. O(n log n), and O(e^2) for a hole of e edges. Ear clipping: Meisters 1975; bridges to
 * inner loops: Held 2001. */
ct_status ct_mesh_repair(const ct_mesh_data *data, ct_mesh_reading reading,
                         const ct_mesh_repair_options *options, const ct_cancel *cancel,
                         ct_mesh_repaired *out);
/* Frees the defects; does not release the mesh. */
void ct_mesh_repaired_free(ct_mesh_repaired *repaired);

CT_DECLARATIONS_END

#endif
