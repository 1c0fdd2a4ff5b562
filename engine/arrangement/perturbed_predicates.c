/* Signs after the second solid has moved by (e, e^2, e^3): where the exact sign is zero, the first
 * derivative that is not. */
#include "arrangement/arrangement.h"

#include "base/predicates.h"

static ct_vec2 seen_along(ct_vec3 p, int axis) {
  return axis == 0 ? (ct_vec2){p.y, p.z} : axis == 1 ? (ct_vec2){p.z, p.x} : (ct_vec2){p.x, p.y};
}

int ct_perturbed_orient3d(const ct_vec3 t[3], ct_vec3 p, int mover) {
  int side = ct_orient3d(t[0], t[1], t[2], p);
  /* The normal's first component that is not zero: of the movement's, e is the largest. */
  for (int axis = 0; axis < 3 && side == 0; axis++)
    side = ct_orient2d(seen_along(t[0], axis), seen_along(t[1], axis), seen_along(t[2], axis)) *
           (mover == 1 ? -1 : 1);
  return side;
}

int ct_perturbed_edge_side(ct_vec3 p, ct_vec3 q, ct_vec3 r, ct_vec3 s) {
  int turn = ct_orient3d(p, q, r, s);
  /* The derivative along a movement of r and s is that movement's product with -(q - p) x (s - r).
   */
  for (int axis = 0; axis < 3 && turn == 0; axis++)
    turn = -ct_turn2d(seen_along(p, axis), seen_along(q, axis), seen_along(r, axis),
                      seen_along(s, axis));
  return turn;
}
