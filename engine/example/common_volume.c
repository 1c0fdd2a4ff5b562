/* Which volume do two unit cubes share, and where is its centroid? */
#include <contact/contact.h>

#include <stdio.h>

int main(void) {
  const ct_shape cube = {.kind = CT_KIND_BOX, .box = {.half = {0.5, 0.5, 0.5}}};
  const ct_frame shifted = {.position = {0.5, 0.25, 0.125}}; /* a rotation of zeros does not turn */
  ct_workspace *workspace = ct_workspace_create();
  if (!workspace) return 1;
  const ct_volume_options options = ct_volume_options_default();
  ct_volume volume;
  ct_pair_volume((ct_placed){&cube, NULL}, (ct_placed){&cube, &shifted}, &options, workspace,
                 &volume);

  const double expected = 0.5 * 0.75 * 0.875;
  bool right = volume.count == 1 && !volume.failed;
  if (right) {
    const ct_volume_contact *contact = &volume.contacts[0]; /* borrowed from the workspace */
    const ct_vec3 middle = {0.25, 0.125, 0.0625};
    printf("volume %.12f m^3 to %.0e, centroid %.6f %.6f %.6f\n", contact->volume,
           contact->volume_error, contact->centroid.x, contact->centroid.y, contact->centroid.z);
    right = fabs(contact->volume - expected) < 1e-12 &&
            ct_norm(ct_sub(contact->centroid, middle)) < 1e-12;
  }
  ct_workspace_destroy(workspace);
  printf("closed form: %.12f m^3, centroid 0.250000 0.125000 0.062500\n", expected);
  return !right;
}
