/* Where does a box touch the table that it stands in by 1 mm? */
#include <contact/contact.h>

#include <stdio.h>

int main(void) {
  const ct_shape table = {.kind = CT_KIND_PLANE}; /* solid below z = 0 */
  const ct_shape box = {.kind = CT_KIND_BOX, .box = {.half = {0.2, 0.15, 0.1}}};
  const ct_frame box_frame = ct_frame_of((ct_pose){.position = {0.0, 0.0, 0.099}});
  ct_workspace *workspace = ct_workspace_create();
  if (!workspace) return 1;
  ct_contact_options options = ct_contact_options_default();
  options.detail = CT_DETAIL_MANIFOLD;
  ct_manifold manifold;
  ct_pair_contacts((ct_placed){&table, NULL}, (ct_placed){&box, &box_frame}, &options, workspace,
                   &manifold);

  bool right = !manifold.failed && manifold.count == 4;
  for (size_t i = 0; i < manifold.count; i++) {
    const ct_contact_point *contact = &manifold.points[i]; /* borrowed from the workspace */
    const ct_vec3 on_box = contact->point_b;
    printf("contact at %5.2f %5.2f, normal %.0f %.0f %.0f, distance %.6f m\n", on_box.x, on_box.y,
           contact->normal.x, contact->normal.y, contact->normal.z, contact->distance);
    right = right && fabs(fabs(on_box.x) - 0.2) < 1e-12 && fabs(fabs(on_box.y) - 0.15) < 1e-12;
    right = right && contact->normal.z == 1.0 && fabs(contact->distance + 0.001) < 1e-12;
  }
  ct_workspace_destroy(workspace);
  printf("closed form: the four lower corners, -0.001000 m\n");
  return !right;
}
