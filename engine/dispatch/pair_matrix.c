/* Dispatch table of pair queries: the cell of two shape kinds. */
#include "pair/pair_cell.h"

#include <assert.h>

#define ROUND ct_cell_sphere_capsule
#define BBOX ct_cell_sphere_box
#define CORES ct_cell_convex_convex
#define PLANE ct_cell_convex_half_space
#define PLANES ct_cell_half_spaces
#define CMESH ct_cell_convex_mesh
#define MESHES ct_cell_mesh_mesh
#define MPLANE ct_cell_mesh_half_space

/* clang-format off */
/* Rows: first kind, columns: second kind, in content order. A new kind adds one row and one
 * column. A plane is always second, except beside another plane. */
static const ct_cell matrix[CT_KIND_COUNT][CT_KIND_COUNT] = {
    /*                       SPHERE  BOX    CAPSULE  CYLINDER  CONE   ELLIPSOID  CONVEX  MESH    TETMESH  HEXMESH  PLANE   ELEMS  */
    [CT_KIND_SPHERE]      = {ROUND,  BBOX,  ROUND,   CORES,    CORES, CORES,     CORES,  CMESH,  CMESH,   CMESH,   PLANE,  CMESH  },
    [CT_KIND_BOX]         = {NULL,   CORES, CORES,   CORES,    CORES, CORES,     CORES,  CMESH,  CMESH,   CMESH,   PLANE,  CMESH  },
    [CT_KIND_CAPSULE]     = {NULL,   NULL,  ROUND,   CORES,    CORES, CORES,     CORES,  CMESH,  CMESH,   CMESH,   PLANE,  CMESH  },
    [CT_KIND_CYLINDER]    = {NULL,   NULL,  NULL,    CORES,    CORES, CORES,     CORES,  CMESH,  CMESH,   CMESH,   PLANE,  CMESH  },
    [CT_KIND_CONE]        = {NULL,   NULL,  NULL,    NULL,     CORES, CORES,     CORES,  CMESH,  CMESH,   CMESH,   PLANE,  CMESH  },
    [CT_KIND_ELLIPSOID]   = {NULL,   NULL,  NULL,    NULL,     NULL,  CORES,     CORES,  CMESH,  CMESH,   CMESH,   PLANE,  CMESH  },
    [CT_KIND_CONVEX]      = {NULL,   NULL,  NULL,    NULL,     NULL,  NULL,      CORES,  CMESH,  CMESH,   CMESH,   PLANE,  CMESH  },
    [CT_KIND_MESH]        = {NULL,   NULL,  NULL,    NULL,     NULL,  NULL,      NULL,   MESHES, MESHES,  MESHES,  MPLANE, MESHES },
    [CT_KIND_TETMESH]     = {NULL,   NULL,  NULL,    NULL,     NULL,  NULL,      NULL,   NULL,   MESHES,  MESHES,  MPLANE, MESHES },
    [CT_KIND_HEXMESH]     = {NULL,   NULL,  NULL,    NULL,     NULL,  NULL,      NULL,   NULL,   NULL,    MESHES,  MPLANE, MESHES },
    [CT_KIND_PLANE]       = {NULL,   NULL,  NULL,    NULL,     NULL,  NULL,      NULL,   NULL,   NULL,    NULL,    PLANES, NULL   },
    [CT_KIND_ELEMENTMESH] = {NULL,   NULL,  NULL,    NULL,     NULL,  NULL,      NULL,   NULL,   NULL,    NULL,    MPLANE, MESHES },
};
/* clang-format on */

ct_cell ct_dispatch_cell(ct_kind a, ct_kind b) {
  assert(a < CT_KIND_COUNT && b < CT_KIND_COUNT && matrix[a][b]);
  return matrix[a][b];
}
