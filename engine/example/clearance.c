/* How far apart are a ball and a cube that is turned by 45 degrees about z? */
#include <contact/contact.h>

#include <stdio.h>

int main(void) {
  const ct_shape ball = {.kind = CT_KIND_SPHERE, .sphere = {.radius = 0.5}};
  const ct_shape cube = {.kind = CT_KIND_BOX, .box = {.half = {1.0, 1.0, 1.0}}};
  const double half_turn = 0.39269908169872414; /* half of 45 degrees */
  const ct_frame ball_frame = ct_frame_of((ct_pose){.position = {3.0, 0.0, 0.0}});
  const ct_frame cube_frame =
      ct_frame_of((ct_pose){.rotation = {0.0, 0.0, sin(half_turn), cos(half_turn)}});
  ct_workspace *workspace = ct_workspace_create();
  if (!workspace) return 1;
  const ct_pair_options options = ct_pair_options_default();
  ct_pair_result result;
  ct_pair_distance((ct_placed){&ball, &ball_frame}, (ct_placed){&cube, &cube_frame}, &options,
                   workspace, &result);
  ct_workspace_destroy(workspace);

  const double expected = 3.0 - 0.5 - sqrt(2.0); /* the edge at x = sqrt 2 is nearest */
  printf("distance %.12f m, certainly in [%.12f, %.12f]\n", result.distance, result.lower_bound,
         result.upper_bound);
  printf("nearest point of the cube: %.6f %.6f\n", result.point_b.x, result.point_b.y);
  printf("closed form: %.12f m\n", expected);
  return fabs(result.distance - expected) > 1e-12 || fabs(result.point_b.x - sqrt(2.0)) > 1e-12;
}
