/* Frames, planes and triangles of a pair in double-double arithmetic (Dekker 1971). */
#include "volume/volume_double_double.h"

#include <contact/limits.h>

#include <assert.h>

/* Error bound of the planes of a hull, in unit round-offs: normals are unit vectors up to 2, and
 * the offsets are rounded accordingly. */
#define PLANE_ROUNDOFFS 8.0

/* ---- frames --------------------------------------------------------------------------------- */

static ct_dd3 scale_wide(const ct_dd3 *a, ct_dd s) {
  return (ct_dd3){ct_dd_mul(a->x, s), ct_dd_mul(a->y, s), ct_dd_mul(a->z, s)};
}

static ct_dd3 add_wide(const ct_dd3 *a, const ct_dd3 *b) {
  return (ct_dd3){ct_dd_add(a->x, b->x), ct_dd_add(a->y, b->y), ct_dd_add(a->z, b->z)};
}

/* Returns the product s a b, where a and b are components of a quaternion. */
static ct_dd multiply_components(ct_dd s, double a, double b) {
  return ct_dd_mul(s, ct_two_product(a, b));
}

static ct_dd subtract_wide(ct_dd a, ct_dd b) { return ct_dd_add(a, ct_dd_neg(b)); }

/* Returns the frame of a pose; the rotation is that of q / |q|, by the formulas of
 * ct_quat_matrix. */
static ct_wide_frame make_frame_of_pose(const ct_pose *pose) {
  ct_quat q = pose->rotation;
  ct_dd norm = ct_dd_add(ct_dd_add(ct_two_product(q.x, q.x), ct_two_product(q.y, q.y)),
                         ct_dd_add(ct_two_product(q.z, q.z), ct_two_product(q.w, q.w)));
  assert(norm.high > 0.0);
  ct_dd s = ct_dd_div(ct_dd_of(2.0), norm), one = ct_dd_of(1.0);
  ct_dd xx = multiply_components(s, q.x, q.x), yy = multiply_components(s, q.y, q.y),
        zz = multiply_components(s, q.z, q.z);
  ct_dd xy = multiply_components(s, q.x, q.y), xz = multiply_components(s, q.x, q.z),
        yz = multiply_components(s, q.y, q.z);
  ct_dd wx = multiply_components(s, q.w, q.x), wy = multiply_components(s, q.w, q.y),
        wz = multiply_components(s, q.w, q.z);
  return (ct_wide_frame){
      {subtract_wide(one, ct_dd_add(yy, zz)), subtract_wide(xy, wz), ct_dd_add(xz, wy)},
      {ct_dd_add(xy, wz), subtract_wide(one, ct_dd_add(xx, zz)), subtract_wide(yz, wx)},
      {subtract_wide(xz, wy), ct_dd_add(yz, wx), subtract_wide(one, ct_dd_add(xx, yy))},
      ct_dd3_of(pose->position)};
}

static ct_dd3 rotate_wide(const ct_wide_frame *f, const ct_dd3 *v) {
  return (ct_dd3){ct_dd3_dot(&f->x, v), ct_dd3_dot(&f->y, v), ct_dd3_dot(&f->z, v)};
}

/* Writes the product of the rotations of f and g to *out. */
static void multiply_rotations(const ct_wide_frame *f, const ct_wide_frame *g, ct_wide_frame *out) {
  const ct_dd3 columns[3] = {
      {g->x.x, g->y.x, g->z.x}, {g->x.y, g->y.y, g->z.y}, {g->x.z, g->y.z, g->z.z}};
  const ct_dd3 a = rotate_wide(f, &columns[0]), b = rotate_wide(f, &columns[1]),
               c = rotate_wide(f, &columns[2]);
  out->x = (ct_dd3){a.x, b.x, c.x};
  out->y = (ct_dd3){a.y, b.y, c.y};
  out->z = (ct_dd3){a.z, b.z, c.z};
}

static ct_wide_frame make_wide_frame(const ct_placed *placed, const ct_volume_poses *poses) {
  if (!poses->body) {
    const ct_frame *f = placed->frame;
    return (ct_wide_frame){ct_dd3_of(f->rotation.rx), ct_dd3_of(f->rotation.ry),
                           ct_dd3_of(f->rotation.rz), ct_dd3_of(f->position)};
  }
  ct_wide_frame body = make_frame_of_pose(poses->body), both;
  if (!poses->collider) return body;
  const ct_wide_frame collider = make_frame_of_pose(poses->collider);
  multiply_rotations(&body, &collider, &both);
  const ct_dd3 arm = rotate_wide(&body, &collider.position);
  both.position = add_wide(&body.position, &arm);
  return both;
}

/* Returns the inverse rotation, by the adjugate: since the rotation is rounded, its transpose
 * differs from its inverse by a few unit round-offs. */
static ct_wide_frame invert_rotation(const ct_wide_frame *f) {
  const ct_dd3 a = ct_dd3_cross(&f->y, &f->z), b = ct_dd3_cross(&f->z, &f->x),
               c = ct_dd3_cross(&f->x, &f->y);
  assert(ct_dd3_dot(&f->x, &a).high > 0.0); /* a rotation to round-off */
  const ct_dd over = ct_dd_div(ct_dd_of(1.0), ct_dd3_dot(&f->x, &a));
  const ct_dd3 p = scale_wide(&a, over), q = scale_wide(&b, over), r = scale_wide(&c, over);
  return (ct_wide_frame){.x = {p.x, q.x, r.x}, .y = {p.y, q.y, r.y}, .z = {p.z, q.z, r.z}};
}

ct_wide_frame ct_wide_relative(const ct_placed *a, const ct_volume_poses *poses_a,
                               const ct_placed *b, const ct_volume_poses *poses_b) {
  const ct_wide_frame first = make_wide_frame(a, poses_a), second = make_wide_frame(b, poses_b),
                      back = invert_rotation(&first);
  const ct_dd3 between = ct_dd3_minus(&second.position, &first.position);
  ct_wide_frame relative;
  multiply_rotations(&back, &second, &relative);
  relative.position = rotate_wide(&back, &between);
  return relative;
}

ct_dd3 ct_wide_place(const ct_wide_frame *frame, ct_vec3 local) {
  const ct_dd3 p = ct_dd3_of(local), turned = rotate_wide(frame, &p);
  return add_wide(&turned, &frame->position);
}

/* ---- planes --------------------------------------------------------------------------------- */

ct_dd ct_wide_height(const ct_wide_plane *plane, const ct_dd3 *point) {
  return subtract_wide(ct_dd3_dot(&plane->normal, point), plane->offset);
}

static ct_vec3 get_own_vertex(const ct_volume_body *body, uint32_t v) {
  return ct_vec(body->own_x[v], body->own_y[v], body->own_z[v]);
}

/* Returns k >= 1 such that the face's vertices 0, k and k + 1 span the largest triangle. */
static uint32_t find_widest_corner(const ct_volume_body *body, const uint32_t *loop,
                                   uint32_t count) {
  ct_vec3 p = get_own_vertex(body, loop[0]);
  uint32_t best = 1;
  assert(count >= 3);
  double most = -1.0;
  for (uint32_t k = 1; k + 1 < count; k++) {
    ct_vec3 e = ct_sub(get_own_vertex(body, loop[k]), p),
            f = ct_sub(get_own_vertex(body, loop[k + 1]), p);
    double span = ct_norm2(ct_cross(e, f));
    if (span > most) {
      most = span;
      best = k;
    }
  }
  return best;
}

ct_wide_plane ct_wide_face(const ct_volume_body *body, uint32_t face, const ct_wide_frame *frame) {
  assert(face < body->face_count);
  const uint32_t *loop = body->face_loop + body->face_start[face];
  uint32_t k = find_widest_corner(body, loop, body->face_start[face + 1] - body->face_start[face]);
  const uint32_t vertices[3] = {loop[0], loop[k], loop[k + 1]};
  ct_dd3 p[3];
  for (int i = 0; i < 3; i++) {
    ct_vec3 own = get_own_vertex(body, vertices[i]);
    p[i] = frame ? ct_wide_place(frame, own) : ct_dd3_of(own);
  }
  const ct_dd3 e = ct_dd3_minus(&p[1], &p[0]), f = ct_dd3_minus(&p[2], &p[0]),
               cross = ct_dd3_cross(&e, &f);
  ct_wide_plane plane = {scale_wide(&cross, ct_dd_of(1.0 / ct_norm(ct_dd3_value(&cross)))),
                         {0.0, 0.0}};
  plane.offset = ct_dd3_dot(&plane.normal, &p[0]);
  return plane;
}

ct_wide_plane ct_wide_half_space(const ct_wide_frame *f, double height) {
  const ct_dd3 across[2] = {{f->x.x, f->y.x, f->z.x}, {f->x.y, f->y.y, f->z.y}},
               axis = {f->x.z, f->y.z, f->z.z};
  const ct_dd3 arm = scale_wide(&axis, ct_dd_of(height)), point = add_wide(&f->position, &arm);
  ct_wide_plane plane = {ct_dd3_cross(&across[0], &across[1]), {0.0, 0.0}};
  plane.offset = ct_dd3_dot(&plane.normal, &point);
  return plane;
}

double ct_wide_plane_error(const ct_convex_proxy *proxy) {
  const ct_hull_view *view = proxy->view;
  double most = 0.0, reach = 0.0;
  if (proxy->kind != CT_PROXY_HULL || !view->face_plane) return 0.0;
  for (uint32_t f = 0; f < view->face_count; f++) {
    ct_vec3 n = {view->nx[f], view->ny[f], view->nz[f]};
    const ct_wide_plane plane = {ct_dd3_of(n), ct_dd_of(view->offset[f])};
    for (uint32_t i = view->face_start[f]; i < view->face_start[f + 1]; i++) {
      uint32_t v = view->face_loop[i];
      ct_vec3 own = {view->x[v], view->y[v], view->z[v]};
      const ct_dd3 p = ct_dd3_of(own);
      most = ct_max2(most, fabs(ct_dd_value(ct_wide_height(&plane, &p))));
      reach = ct_max2(reach, ct_max_abs(own));
    }
  }
  return most > 0.0 ? most + PLANE_ROUNDOFFS * CT_UNIT_ROUNDOFF * reach : 0.0;
}

/* ---- triangles ------------------------------------------------------------------------------ */

double ct_wide_double_area(const ct_dd3 corner[3], ct_vec3 normal) {
  const ct_dd3 e = ct_dd3_minus(&corner[1], &corner[0]), f = ct_dd3_minus(&corner[2], &corner[0]);
  const ct_dd3 cross = ct_dd3_cross(&e, &f);
  return ct_dot(ct_dd3_value(&cross), normal);
}

ct_dd ct_dd_sqrt(ct_dd a) {
  if (!(a.high > 0.0)) return (ct_dd){0.0, 0.0};
  double root = sqrt(a.high);
  ct_dd rest = subtract_wide(a, ct_two_product(root, root));
  return ct_fast_two_sum(root, rest.high / (2.0 * root));
}
