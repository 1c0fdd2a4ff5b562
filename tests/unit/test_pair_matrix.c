/* The kind x kind dispatch table: every cell is filled, reached in both orders, and right for a
 * separate, a touching and an overlapping pair. */
#include "pair/pair_cell.h"

#include <contact/contact.h>

#include "tests/support/check.h"
#include "tests/support/meshes.h"

/* Kinds with filled cells. */
static const ct_kind kinds[] = {CT_KIND_SPHERE,   CT_KIND_BOX,  CT_KIND_CAPSULE,
                                CT_KIND_CYLINDER, CT_KIND_CONE, CT_KIND_ELLIPSOID,
                                CT_KIND_CONVEX,   CT_KIND_MESH, CT_KIND_PLANE};
#define KINDS ((int)(sizeof kinds / sizeof *kinds))

/* One body per kind that extends exactly 1 up and, except the plane, 1 down along z. */
static ct_shape shape_of(ct_kind kind) {
  switch (kind) {
  case CT_KIND_SPHERE: return (ct_shape){.kind = kind, .sphere = {1.0}};
  case CT_KIND_BOX: return (ct_shape){.kind = kind, .box = {{1.0, 1.0, 1.0}}};
  case CT_KIND_CAPSULE: return (ct_shape){.kind = kind, .capsule = {0.5, 0.5, 0.5}};
  case CT_KIND_CYLINDER: return (ct_shape){.kind = kind, .cylinder = {1.5, 1.0}};
  case CT_KIND_CONE: return (ct_shape){.kind = kind, .cone = {1.0, 1.5, 0.5}};
  case CT_KIND_ELLIPSOID: return (ct_shape){.kind = kind, .ellipsoid = {{1.5, 2.0, 1.0}}};
  case CT_KIND_CONVEX: {
    const ct_vec3 prism[] = {{2, 0, -1}, {-1, 2, -1}, {-1, -2, -1},
                             {2, 0, 1},  {-1, 2, 1},  {-1, -2, 1}};
    ct_hull *hull = NULL;
    CHECK_INT(ct_hull_from_points(prism, 6, NULL, &hull, NULL), CT_OK);
    return (ct_shape){.kind = kind, .hull = hull};
  }
  case CT_KIND_MESH: {
    soup slab = {0};
    soup_box(&slab, ct_vec(-3, -3, -1), ct_vec(3, 3, 1));
    return (ct_shape){.kind = kind, .mesh = soup_mesh(&slab)};
  }
  default: return (ct_shape){.kind = CT_KIND_PLANE};
  }
}

/* The plane's solid side is down, so it is placed below; as the upper body it faces down. */
static ct_frame frame_of(ct_kind kind, double z, bool above) {
  double reach = kind == CT_KIND_PLANE ? (above ? z - 1.0 : z + 1.0) : z;
  ct_quat q = kind == CT_KIND_PLANE && above ? (ct_quat){1, 0, 0, 0} : ct_quat_identity();
  /* The upper mesh is rotated, so that edges cross edges. */
  if (kind == CT_KIND_MESH && above) q = (ct_quat){0, 0, 0.25, 1};
  return ct_frame_of((ct_pose){{0, 0, reach}, q});
}

/* Each two kinds have a cell and a relation, the same in both orders; a common point comes from the
 * overlap test or from the cell's result. */
static void the_dispatch_table_is_complete_and_symmetric(void) {
  for (int a = 0; a < CT_KIND_COUNT; a++)
    for (int b = 0; b < CT_KIND_COUNT; b++) {
      const ct_pair_methods *methods = ct_pair_matrix[a][b];
      CHECK(methods != NULL && methods == ct_pair_matrix[b][a]);
      CHECK(methods->cell && methods->relation);
      CHECK(!methods->overlap == (methods->common_point != NULL));
      CHECK(!methods->primitive_distance == !methods->primitive_overlap);
    }
}

static void every_pair_of_kinds_answers_in_both_orders(void) {
  ct_workspace *workspace = ct_workspace_create();
  const ct_pair_options options = {.tolerance = 0.0, .threshold = INFINITY};
  const double gaps[] = {0.5, 0.0, -0.25};
  for (int a = 0; a < KINDS; a++)
    for (int b = 0; b < KINDS; b++)
      for (int i = 0; i < 3; i++) {
        ct_shape below = shape_of(kinds[a]), above = shape_of(kinds[b]);
        ct_frame fa = frame_of(kinds[a], 0.0, false), fb = frame_of(kinds[b], 2.0 + gaps[i], true);
        ct_pair_result r;
        ct_pair_distance((ct_placed){&below, &fa}, (ct_placed){&above, &fb}, &options, workspace,
                         &r);
        CHECK_NEAR(r.distance, gaps[i], 8 * 0x1p-53);
        CHECK_NEAR(r.normal.z, 1.0, 8 * 0x1p-53);
        CHECK_INT(r.status, CT_PAIR_OK);
        CHECK(ct_pair_overlap((ct_placed){&below, &fa}, (ct_placed){&above, &fb}, workspace,
                              NULL) == (r.distance <= 0.0));
        ct_shape_release(&below);
        ct_shape_release(&above);
      }
  ct_workspace_destroy(workspace);
}

static const check_test tests[] = {
    {"the_dispatch_table_is_complete_and_symmetric", the_dispatch_table_is_complete_and_symmetric},
    {"every_pair_of_kinds_answers_in_both_orders", every_pair_of_kinds_answers_in_both_orders},
};

CHECK_MAIN(tests)
