/* An order of placed bodies by what they are. */
#include "scene/body.h"
#include "shape/shape_compare.h"

static int compare_poses(const ct_pose *a, const ct_pose *b) {
  double va[] = {a->position.x, a->position.y, a->position.z, a->rotation.x,
                 a->rotation.y, a->rotation.z, a->rotation.w};
  double vb[] = {b->position.x, b->position.y, b->position.z, b->rotation.x,
                 b->rotation.y, b->rotation.z, b->rotation.w};
  return ct_numbers_compare(va, vb, 7);
}

int ct_body_compare(const ct_body *a, const ct_pose *pose_a, const ct_body *b,
                    const ct_pose *pose_b) {
  const ct_pose identity = ct_pose_identity();
  size_t count_a = ct_body_collider_count(a), count_b = ct_body_collider_count(b);
  int order = compare_poses(pose_a, pose_b);
  if (order) return order;
  if (count_a != count_b) return count_a < count_b ? -1 : 1;
  for (size_t i = 0; i < count_a; i++) {
    order = ct_shape_compare(ct_body_shape(a, i), ct_body_shape(b, i));
    if (order) return order;
    const ct_pose *pa = ct_body_shape_pose(a, i), *pb = ct_body_shape_pose(b, i);
    order = compare_poses(pa ? pa : &identity, pb ? pb : &identity);
    if (order) return order;
  }
  return 0;
}
