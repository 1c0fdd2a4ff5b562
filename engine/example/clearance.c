/* How far apart are a ball and a tilted box?   cc clearance.c $(pkg-config --cflags --libs contact) */
#include <contact/contact.h>

#include <stdio.h>

int main(void) {
  ct_shape ball = {.kind = CT_KIND_SPHERE, .sphere = {.radius = 0.5}};
  ct_shape box = {.kind = CT_KIND_BOX, .box = {.half = {1.0, 1.0, 1.0}}};
  ct_frame at_ball = ct_frame_of((ct_pose){{3.0, 0.0, 0.0}, {0.0, 0.0, 0.0, 1.0}});
  ct_frame at_box = ct_frame_of((ct_pose){{0.0, 0.0, 0.0}, {0.0, 0.0, 0.3826834323650898, 0.9238795325112867}});
  ct_pair_options options = {.tolerance = 0.0, .threshold = INFINITY};
  ct_pair_result result;
  ct_workspace *workspace = ct_workspace_create();
  if (!workspace) return 1;
  ct_pair_distance((ct_placed){&ball, &at_ball}, (ct_placed){&box, &at_box}, &options, workspace, &result);
  printf("distance %.12f m, certainly in [%.12f, %.12f]\n", result.distance, result.lower_bound, result.upper_bound);
  printf("nearest on the box: %.6f %.6f %.6f\n", result.point_b.x, result.point_b.y, result.point_b.z);
  ct_workspace_destroy(workspace);
  return 0;
}
