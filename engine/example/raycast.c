/* At which distance does a range finder's beam along x hit a ball, and where does it leave the
 * ball? */
#include <contact/contact.h>

#include <stdio.h>

int main(void) {
  const ct_shape ball = {.kind = CT_KIND_SPHERE, .sphere = {.radius = 2.0}};
  const ct_frame frame = ct_frame_of((ct_pose){.position = {10.0, 1.0, 0.0}});
  const ct_ray beam = {.direction = {1.0, 0.0, 0.0}, .reach = INFINITY};
  ct_workspace *workspace = ct_workspace_create();
  if (!workspace) return 1;
  ct_ray_crossing crossing[2];
  const size_t count = ct_ray_cross(&beam, (ct_placed){&ball, &frame}, workspace, crossing, 2);
  ct_workspace_destroy(workspace);

  const double half_chord = sqrt(2.0 * 2.0 - 1.0 * 1.0); /* the beam passes the centre at 1 m */
  bool right = count == 2;
  for (size_t i = 0; i < count && i < 2; i++) {
    const double expected = i == 0 ? 10.0 - half_chord : 10.0 + half_chord;
    printf("%s at %.12f m, closed form %.12f m\n", crossing[i].entering ? "enters" : "leaves",
           crossing[i].distance, expected);
    right =
        right && crossing[i].entering == (i == 0) && fabs(crossing[i].distance - expected) < 1e-12;
  }
  return !right;
}
