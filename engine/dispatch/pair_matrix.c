/* Dispatch table of pair queries: the methods for each pair of shape kinds. Other files do not
 * decide by kind, with one exception: ct_cell_convex_convex passes pairs with a curved core
 * (cylinder, cone, ellipsoid, tapered capsule) to curved/curved.c.
 *
 * One triangle of the table would define all pairs. The whole symmetric table is stored, so that
 * the closed form of a pair in the caller's order is found without sorting. */
#include "pair/pair_cell.h"
#include "primitives/primitive_pairs.h"

/* ---- methods ------------------------------------------------------------------------------- */

/* Balls and capsules in closed form, each with the primitive forms of their kinds. */
static const ct_pair_methods spheres = {.primitive_distance = ct_sphere_sphere_distance,
                                        .primitive_overlap = ct_primitive_overlap,
                                        .primitive_common_point = ct_primitive_common_point,
                                        .cell = ct_cell_sphere_capsule,
                                        .common_point = ct_convex_common_point,
                                        .relation = ct_convex_relation};
static const ct_pair_methods capsules = {.primitive_distance = ct_primitive_distance,
                                         .primitive_overlap = ct_primitive_overlap,
                                         .primitive_common_point = ct_primitive_common_point,
                                         .cell = ct_cell_sphere_capsule,
                                         .common_point = ct_convex_common_point,
                                         .relation = ct_convex_relation};
static const ct_pair_methods sphere_box = {.primitive_distance = ct_primitive_distance,
                                           .primitive_overlap = ct_primitive_overlap,
                                           .primitive_common_point = ct_primitive_common_point,
                                           .cell = ct_cell_sphere_box,
                                           .common_point = ct_convex_common_point,
                                           .relation = ct_convex_relation};

/* Two boxes: separating axes alone if they decide, else GJK and separating axes. */
static const ct_pair_methods boxes = {.primitive_distance = ct_box_box_distance,
                                      .primitive_overlap = ct_box_box_overlap,
                                      .cell = ct_cell_convex_convex,
                                      .overlap = ct_convex_overlap,
                                      .relation = ct_convex_relation};

/* Pairs with a capsule or ellipsoid that may be a ball: closed forms for that case, else GJK and
 * the depth that curved/convex_convex.c selects by the cores. */
static const ct_pair_methods balls = {.primitive_distance = ct_primitive_distance,
                                      .primitive_overlap = ct_primitive_overlap,
                                      .primitive_common_point = ct_primitive_common_point,
                                      .cell = ct_cell_convex_convex,
                                      .overlap = ct_convex_overlap,
                                      .relation = ct_convex_relation};

/* Any two other bounded convex bodies: GJK and EPA. */
static const ct_pair_methods convex = {
    .cell = ct_cell_convex_convex, .overlap = ct_convex_overlap, .relation = ct_convex_relation};

static const ct_pair_methods half_space = {.cell = ct_cell_convex_half_space,
                                           .common_point = ct_first_witness,
                                           .relation = ct_convex_half_space_relation};
static const ct_pair_methods half_spaces = {.cell = ct_cell_half_spaces,
                                            .common_point = ct_first_witness,
                                            .relation = ct_half_spaces_relation};

static const ct_pair_methods convex_mesh = {.cell = ct_cell_convex_mesh,
                                            .overlap = ct_convex_mesh_overlap,
                                            .relation = ct_convex_mesh_relation};
static const ct_pair_methods meshes = {
    .cell = ct_cell_mesh_mesh, .overlap = ct_mesh_mesh_overlap, .relation = ct_mesh_mesh_relation};
static const ct_pair_methods mesh_half_space = {.cell = ct_cell_mesh_half_space,
                                                .common_point = ct_first_witness,
                                                .relation = ct_mesh_half_space_relation};

/* ---- table --------------------------------------------------------------------------------- */

#define SPHERE &spheres
#define ROUND &capsules
#define SBOX &sphere_box
#define BOXES &boxes
#define BALLS &balls
#define CONVEX &convex
#define PLANE &half_space
#define PLANES &half_spaces
#define CMESH &convex_mesh
#define MESHES &meshes
#define MPLANE &mesh_half_space

/* clang-format off */
/* Rows: kind of the first shape; columns: kind of the second. A new kind adds one row and one
 * column. */
const ct_pair_methods *const ct_pair_matrix[CT_KIND_COUNT][CT_KIND_COUNT] = {
    /*                       SPHERE  BOX     CAPSULE CYLINDER CONE    ELLIPSOID CONVEX  MESH    TETMESH HEXMESH PLANE   ELEMENTS */
    [CT_KIND_SPHERE]      = {SPHERE, SBOX,   ROUND,  CONVEX,  CONVEX, BALLS,    CONVEX, CMESH,  CMESH,  CMESH,  PLANE,  CMESH},
    [CT_KIND_BOX]         = {SBOX,   BOXES,  BALLS,  CONVEX,  CONVEX, BALLS,    CONVEX, CMESH,  CMESH,  CMESH,  PLANE,  CMESH},
    [CT_KIND_CAPSULE]     = {ROUND,  BALLS,  ROUND,  CONVEX,  CONVEX, BALLS,    CONVEX, CMESH,  CMESH,  CMESH,  PLANE,  CMESH},
    [CT_KIND_CYLINDER]    = {CONVEX, CONVEX, CONVEX, CONVEX,  CONVEX, CONVEX,   CONVEX, CMESH,  CMESH,  CMESH,  PLANE,  CMESH},
    [CT_KIND_CONE]        = {CONVEX, CONVEX, CONVEX, CONVEX,  CONVEX, CONVEX,   CONVEX, CMESH,  CMESH,  CMESH,  PLANE,  CMESH},
    [CT_KIND_ELLIPSOID]   = {BALLS,  BALLS,  BALLS,  CONVEX,  CONVEX, BALLS,    CONVEX, CMESH,  CMESH,  CMESH,  PLANE,  CMESH},
    [CT_KIND_CONVEX]      = {CONVEX, CONVEX, CONVEX, CONVEX,  CONVEX, CONVEX,   CONVEX, CMESH,  CMESH,  CMESH,  PLANE,  CMESH},
    [CT_KIND_MESH]        = {CMESH,  CMESH,  CMESH,  CMESH,   CMESH,  CMESH,    CMESH,  MESHES, MESHES, MESHES, MPLANE, MESHES},
    [CT_KIND_TETMESH]     = {CMESH,  CMESH,  CMESH,  CMESH,   CMESH,  CMESH,    CMESH,  MESHES, MESHES, MESHES, MPLANE, MESHES},
    [CT_KIND_HEXMESH]     = {CMESH,  CMESH,  CMESH,  CMESH,   CMESH,  CMESH,    CMESH,  MESHES, MESHES, MESHES, MPLANE, MESHES},
    [CT_KIND_PLANE]       = {PLANE,  PLANE,  PLANE,  PLANE,   PLANE,  PLANE,    PLANE,  MPLANE, MPLANE, MPLANE, PLANES, MPLANE},
    [CT_KIND_ELEMENTMESH] = {CMESH,  CMESH,  CMESH,  CMESH,   CMESH,  CMESH,    CMESH,  MESHES, MESHES, MESHES, MPLANE, MESHES},
};
/* clang-format on */
