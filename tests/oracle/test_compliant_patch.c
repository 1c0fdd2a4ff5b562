/* Patches of the elastic law: integrals against quadrature over columns, force and torque against
 * differences of the energy, closed forms of level faces, and dissipation. */
#include "compliant/compliant_patch.h"
#include "tests/support/check.h"
#include "tests/support/scenes.h"

#define MODULUS 1e9

static ct_patch_scratch scratch;
static uint64_t state = 88172645463325252u;

/* Uniform in [low, high). */
static double between(double low, double high) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return low + (high - low) * ((double)(state >> 11) * 0x1p-53);
}

static ct_vec3 random_vec(double size) {
  return ct_vec(between(-size, size), between(-size, size), between(-size, size));
}

static ct_mat3 rotation_of(ct_vec3 v) {
  double angle = ct_norm(v), s = angle > 0.0 ? sin(0.5 * angle) / angle : 0.0;
  return ct_quat_matrix((ct_quat){s * v.x, s * v.y, s * v.z, cos(0.5 * angle)});
}

static ct_patch find(const ct_patch_side *a, const ct_patch_side *b, ct_vec3 normal) {
  ct_patch patch;
  CHECK(ct_patch_find(a, b, normal, &scratch, &patch));
  return patch;
}

static const ct_shape half_space = {.kind = CT_KIND_PLANE};

static ct_patch_side placed(const ct_shape *shape, ct_vec3 turn, ct_vec3 position) {
  return (ct_patch_side){shape, {rotation_of(turn), position}};
}

/* ---- quadrature over columns ------------------------------------------------------------------
 */

/* Cuts the part of the interval [low, high] of the line x + t d that is inside a side. */
static void cut_line(const ct_patch_side *side, ct_vec3 x, ct_vec3 d, double *low, double *high) {
  ct_vec3 p = ct_to_local(side->frame, x), q = ct_to_local(side->frame, ct_add(x, d));
  ct_vec3 s = ct_sub(q, p);
  const ct_shape *shape = side->shape;
  double planes[512][4];
  int count = 0;
  if (shape->kind == CT_KIND_PLANE) {
    planes[count][0] = planes[count][1] = planes[count][3] = 0.0;
    planes[count++][2] = 1.0;
  } else if (shape->kind == CT_KIND_CONVEX) {
    const ct_hull_view *view = ct_hull_get(shape->hull);
    for (uint32_t f = 0; f < view->face_count; f++, count++) {
      planes[count][0] = view->nx[f];
      planes[count][1] = view->ny[f];
      planes[count][2] = view->nz[f];
      planes[count][3] = view->offset[f];
    }
  } else {
    const double half[3] = {shape->box.half.x, shape->box.half.y, shape->box.half.z};
    bool round = shape->kind == CT_KIND_CYLINDER;
    for (int k = round ? 2 : 0; k < 3; k++)
      for (int sign = -1; sign <= 1; sign += 2, count++) {
        for (int j = 0; j < 3; j++) planes[count][j] = j == k ? sign : 0.0;
        planes[count][3] = round ? shape->cylinder.half_length : half[k];
      }
    if (round) {
      double a = s.x * s.x + s.y * s.y, b = p.x * s.x + p.y * s.y,
             c = p.x * p.x + p.y * p.y - shape->cylinder.radius * shape->cylinder.radius;
      double root = b * b - a * c;
      if (root < 0.0 || (a == 0.0 && c > 0.0)) *high = *low - 1.0;
      else if (a > 0.0) {
        *low = ct_max2(*low, (-b - sqrt(root)) / a);
        *high = ct_min2(*high, (-b + sqrt(root)) / a);
      }
    }
  }
  for (int k = 0; k < count; k++) {
    double at = planes[k][0] * p.x + planes[k][1] * p.y + planes[k][2] * p.z - planes[k][3];
    double by = planes[k][0] * s.x + planes[k][1] * s.y + planes[k][2] * s.z;
    if (by > 0.0) *high = ct_min2(*high, -at / by);
    else if (by < 0.0) *low = ct_max2(*low, -at / by);
    else if (at > 0.0) *high = *low - 1.0;
  }
}

enum { COLUMNS = 800 };

/* Volume and int z dV by the midpoint rule over columns along the reference's normal, in a square
 * of six standard deviations about the patch's centroid, which contains it. plane: a point of the
 * reference plane. */
static void check_integrals(const ct_patch *patch, const ct_patch_side *a, const ct_patch_side *b,
                            ct_vec3 plane) {
  double reach = 5.0 * sqrt((patch->second[0] + patch->second[2]) / patch->volume);
  double volume = 0.0, moment = 0.0, step = 2.0 * reach / COLUMNS;
  double level = ct_dot(ct_sub(patch->centroid, plane), patch->inward);
  ct_vec3 centre = ct_add_scaled(patch->centroid, patch->inward, -level);
  for (int i = 0; i < COLUMNS; i++)
    for (int k = 0; k < COLUMNS; k++) {
      ct_vec3 x = ct_add_scaled(centre, patch->tangents[0], (i + 0.5) * step - reach);
      x = ct_add_scaled(x, patch->tangents[1], (k + 0.5) * step - reach);
      double low = 0.0, high = 10.0;
      cut_line(a, x, patch->inward, &low, &high);
      cut_line(b, x, patch->inward, &low, &high);
      if (!(high > low)) continue;
      volume += step * step * (high - low);
      moment += step * step * 0.5 * (high * high - low * low);
    }
  CHECK_NEAR(patch->volume / volume, 1.0, 1e-2);
  CHECK_NEAR(patch->moment / moment, 1.0, 1e-2);
}

/* ---- force and energy -------------------------------------------------------------------------
 */

/* Force and torque on b are minus the differences of the energy when b is displaced and turned. */
static void check_gradient(const ct_patch_side *a, const ct_patch_side *b, ct_vec3 normal,
                           double size) {
  const ct_elastic_pair pair = {.c_res = MODULUS};
  const ct_elastic_options options = {.pull = true};
  ct_patch patch = find(a, b, normal);
  CHECK(patch.volume > 0.0);
  ct_compliant_force force =
      ct_patch_force(&patch, &pair, ct_vec(0, 0, 0), ct_vec(0, 0, 0), &options);
  double step = 1e-6 * size, scale = ct_norm(force.force);
  const ct_vec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  for (int k = 0; k < 6; k++) {
    double energy[2];
    for (int side = 0; side < 2; side++) {
      ct_patch_side moved = *b;
      double by = side ? step : -step;
      if (k < 3) moved.frame.position = ct_add_scaled(moved.frame.position, axes[k], by);
      else {
        ct_mat3 turn = rotation_of(ct_scale(axes[k - 3], by / size));
        moved.frame = ct_frame_mul((ct_frame){turn, ct_vec(0, 0, 0)}, moved.frame);
      }
      ct_patch other = find(a, &moved, normal);
      energy[side] = ct_patch_energy(&other, MODULUS);
    }
    double slope = (energy[1] - energy[0]) / (2.0 * step);
    double actual = k < 3 ? ct_dot(force.force, axes[k]) : ct_dot(force.torque, axes[k - 3]) / size;
    CHECK_NEAR(actual, -slope, 1e-5 * scale);
  }
  /* Exchanged bodies: the opposite force. Here both have the same reference. */
  ct_patch back = find(b, a, ct_neg(normal));
  ct_compliant_force other =
      ct_patch_force(&back, &pair, ct_vec(0, 0, 0), ct_vec(0, 0, 0), &options);
  CHECK_NEAR(ct_norm(ct_add(other.force, force.force)), 0.0, 1e-9 * scale);
  CHECK_NEAR(ct_norm(ct_add(other.torque, force.torque)), 0.0, 1e-9 * scale * size);
}

/* Damping, friction, torsion and rolling resistance take energy for every velocity. */
static void check_dissipation(const ct_patch_side *a, const ct_patch_side *b, ct_vec3 normal) {
  const ct_elastic_pair elastic = {.c_res = MODULUS};
  const ct_elastic_pair pair = {.c_res = MODULUS,
                                .mu_geo = 0.1,
                                .damping = 2.0,
                                .dynamic_friction = 0.4,
                                .rolling_friction = 0.01};
  const ct_elastic_options options = {.pull = true};
  ct_patch patch = find(a, b, normal);
  for (int i = 0; i < 20; i++) {
    ct_vec3 velocity = random_vec(0.2), spin = random_vec(0.5);
    ct_compliant_force with = ct_patch_force(&patch, &pair, velocity, spin, &options),
                       without = ct_patch_force(&patch, &elastic, velocity, spin, &options);
    double power = ct_dot(ct_sub(with.force, without.force), velocity) +
                   ct_dot(ct_sub(with.torque, without.torque), spin);
    CHECK(power <= 0.0);
  }
}

static void patches_of_a_half_space(void) {
  const ct_shape box = box_of(0.3, 0.2, 0.1), prism = prism_of(7, 0.2, 0.15),
                 can = {.kind = CT_KIND_CYLINDER, .cylinder = {.radius = 0.2, .half_length = 0.15}};
  const ct_shape *const shapes[3] = {&box, &prism, &can};
  for (int i = 0; i < 36; i++) {
    const ct_shape *shape = shapes[i % 3];
    ct_vec3 turn = i < 9 ? random_vec(0.05) : random_vec(3.0);
    ct_patch_side plane = placed(&half_space, random_vec(i % 2 ? 0.0 : 1.0), random_vec(0.1));
    ct_vec3 normal = ct_mat_mul(plane.frame.rotation, ct_vec(0, 0, 1));
    ct_patch_side body = placed(shape, turn, ct_vec(0, 0, 0));
    double lowest = 0.0; /* support of the body against the normal, relative to its centre */
    ct_vec3 down = ct_mat_mul(ct_mat_transpose(body.frame.rotation), ct_neg(normal));
    lowest = ct_dot(ct_shape_support(shape, down), down);
    double depth = between(0.002, 0.05);
    body.frame.position = ct_add_scaled(
        ct_add(plane.frame.position, ct_cross(normal, random_vec(0.2))), normal, lowest - depth);
    ct_patch patch = find(&plane, &body, normal);
    CHECK_INT(patch.body, 1);
    check_integrals(&patch, &plane, &body, plane.frame.position);
    check_gradient(&plane, &body, normal, 0.2);
    check_dissipation(&plane, &body, normal);
  }
  ct_shape_release(&prism);
}

/* A box or prism on a box, also beyond its edge and on its edge. */
static void patches_of_two_polyhedra(void) {
  const ct_shape table = box_of(0.5, 0.4, 0.2), box = box_of(0.3, 0.2, 0.1),
                 prism = prism_of(7, 0.2, 0.15);
  int patches = 0;
  for (int i = 0; i < 20; i++) {
    const ct_shape *shape = i % 2 ? &box : &prism;
    ct_patch_side low = placed(&table, ct_vec(0, 0, 0), ct_vec(0, 0, -0.2));
    ct_patch_side high = placed(shape, random_vec(0.1), ct_vec(0, 0, 0));
    ct_vec3 down = ct_mat_mul(ct_mat_transpose(high.frame.rotation), ct_vec(0, 0, -1));
    double lowest = ct_dot(ct_shape_support(shape, down), down);
    double beside = i % 4 < 2 ? 0.0 : 0.45;
    high.frame.position =
        ct_vec(beside + between(-0.1, 0.1), between(-0.1, 0.1), lowest - between(0.005, 0.04));
    ct_vec3 normal = ct_vec(0, 0, 1);
    ct_patch patch = find(&low, &high, normal);
    CHECK_INT(patch.body, 1);
    if (patch.volume == 0.0) continue; /* beside the table */
    patches++;
    check_integrals(&patch, &low, &high, ct_vec(0, 0, 0));
    check_gradient(&low, &high, normal, 0.2);
    check_dissipation(&low, &high, normal);
  }
  CHECK(patches > 15);
  ct_shape_release(&prism);
}

/* A level face of area A at depth d: V = A d, int z dV = A d^2 / 2, force 2 E sqrt(A / pi) d
 * through the face's centre; independent of the number of sides of a prism to 1 %. */
static void level_faces_have_the_stiffness_of_a_flat_punch(void) {
  const ct_shape box = box_of(0.1, 0.15, 0.2),
                 can = {.kind = CT_KIND_CYLINDER, .cylinder = {.radius = 0.1, .half_length = 0.2}};
  const ct_elastic_pair pair = {.c_res = MODULUS};
  const ct_elastic_options options = {.pull = true};
  const ct_patch_side plane = placed(&half_space, ct_vec(0, 0, 0), ct_vec(0, 0, 0));
  double pi = acos(-1.0), last = 0.0;
  for (double depth = 1e-10; depth < 1e-2; depth *= 10.0) {
    const ct_shape *const shapes[2] = {&box, &can};
    for (int k = 0; k < 2; k++) {
      double area = k ? pi * 0.01 : 0.06;
      ct_patch_side body = placed(shapes[k], ct_vec(0, 0, 0), ct_vec(0.02, 0.01, 0.2 - depth));
      ct_patch patch = find(&plane, &body, ct_vec(0, 0, 1));
      double slack = 1e-9 + 1e-16 / depth;
      CHECK_NEAR(patch.volume / (area * depth), 1.0, slack);
      CHECK_NEAR(patch.moment / (0.5 * area * depth * depth), 1.0, slack);
      ct_compliant_force force =
          ct_patch_force(&patch, &pair, ct_vec(0, 0, 0), ct_vec(0, 0, 0), &options);
      double expected = 2.0 * MODULUS * sqrt(area / pi) * depth;
      CHECK_NEAR(force.force.z / expected, 1.0, slack);
      CHECK_NEAR(force.torque.x / expected, 0.01, slack);
      CHECK_NEAR(force.torque.y / expected, -0.02, slack);
      CHECK_NEAR(force.depth / depth, 1.0, slack);
      CHECK_NEAR(ct_patch_energy(&patch, MODULUS) / (0.5 * expected * depth), 1.0, slack);
    }
  }
  for (int sides = 24; sides <= 192; sides *= 2) {
    const ct_shape prism = prism_of(sides, 0.1, 0.2);
    ct_patch_side body = placed(&prism, ct_vec(0, 0, 0), ct_vec(0, 0, 0.2 - 1e-4));
    ct_patch patch = find(&plane, &body, ct_vec(0, 0, 1));
    double energy = ct_patch_energy(&patch, MODULUS);
    CHECK_NEAR(energy / (MODULUS * 0.1 * 1e-8), 1.0, 1e-2);
    CHECK(energy > last);
    last = energy;
    ct_shape_release(&prism);
  }
}

/* A pyramid and a wedge: int z^2 dA = A d^2 / 6 and A d^2 / 3 over the section A. */
static void tilted_boxes_have_their_closed_forms(void) {
  const ct_shape cube = box_of(0.5, 0.5, 0.5);
  const ct_patch_side plane = placed(&half_space, ct_vec(0, 0, 0), ct_vec(0, 0, 0));
  double d = 0.01, pi = acos(-1.0);
  ct_patch_side wedge = placed(&cube, ct_vec(pi / 4.0, 0, 0), ct_vec(0, 0, sqrt(0.5) - d));
  ct_patch patch = find(&plane, &wedge, ct_vec(0, 0, 1));
  CHECK_NEAR(patch.volume, d * d, 1e-12);
  CHECK_NEAR(patch.moment, d * d * d / 3.0, 1e-12);
  ct_vec3 diagonal = ct_scale(ct_vec(1, -1, 0), acos(sqrt(1.0 / 3.0)) / sqrt(2.0));
  ct_patch_side corner = placed(&cube, diagonal, ct_vec(0, 0, sqrt(0.75) - d));
  patch = find(&plane, &corner, ct_vec(0, 0, 1));
  double area = 3.0 * sqrt(3.0) / 2.0 * d * d;
  CHECK_NEAR(patch.volume / (area * d / 3.0), 1.0, 1e-9);
  CHECK_NEAR(patch.moment / (area * d * d / 12.0), 1.0, 1e-9);
}

/* A prism that stands on the ground, or on a prism of the same size whose sides are flush with its
 * own: corners are on both sides of the other body's planes by round-off, in any order. Common
 * solid: none, to the round-off of lengths of 1 m; 1 mm deeper, the face times the depth. */
static void faces_in_planes_of_the_other_body(void) {
  for (int sides = 3; sides <= 32; sides++) {
    const ct_shape prism = prism_of(sides, 0.1, 0.1);
    double face = 0.5 * sides * 0.01 * sin(2.0 * acos(-1.0) / sides);
    for (int i = 0; i < 400; i++) {
      bool is_flush = i % 2 == 1;
      double depth = i % 4 < 2 ? 0.0 : 1e-3;
      const ct_patch_side low =
          placed(is_flush ? &prism : &half_space, random_vec(3.0), random_vec(1.0));
      ct_patch_side high = {&prism, low.frame};
      high.frame.position = ct_to_parent(low.frame, ct_vec(0, 0, (is_flush ? 0.2 : 0.1) - depth));
      ct_patch patch = find(&low, &high, ct_mat_mul(low.frame.rotation, ct_vec(0, 0, 1)));
      CHECK_NEAR(patch.volume, face * depth, 1e-16);
    }
    ct_shape_release(&prism);
  }
}

static void bodies_apart_have_no_patch(void) {
  const ct_shape box = box_of(0.1, 0.1, 0.1), ball = sphere_of(0.1);
  const ct_patch_side plane = placed(&half_space, ct_vec(0, 0, 0), ct_vec(0, 0, 0)),
                      high = placed(&box, ct_vec(0, 0, 0), ct_vec(0, 0, 0.2));
  ct_patch patch = find(&plane, &high, ct_vec(0, 0, 1));
  const ct_elastic_pair pair = {.c_res = MODULUS, .damping = 10.0};
  CHECK(patch.volume == 0.0 && ct_patch_energy(&patch, MODULUS) == 0.0);
  CHECK(ct_norm(ct_patch_force(&patch, &pair, ct_vec(0, 0, -1), ct_vec(0, 0, 0),
                               &(ct_elastic_options){0})
                    .force) == 0.0);
  ct_shape rounded = box;
  rounded.rounding = 0.01;
  CHECK(ct_patch_applies(&half_space, &box) && ct_patch_applies(&box, &box));
  CHECK(!ct_patch_applies(&half_space, &ball) && !ct_patch_applies(&half_space, &rounded));
  CHECK(!ct_patch_applies(&half_space, &half_space));
}

int main(int argc, char **argv) {
  static const check_test tests[] = {
      {"patches of a half space", patches_of_a_half_space},
      {"patches of two polyhedra", patches_of_two_polyhedra},
      {"level faces have the stiffness of a flat punch",
       level_faces_have_the_stiffness_of_a_flat_punch},
      {"tilted boxes have their closed forms", tilted_boxes_have_their_closed_forms},
      {"faces in planes of the other body", faces_in_planes_of_the_other_body},
      {"bodies apart have no patch", bodies_apart_have_no_patch},
  };
  int status = check_main(argc, argv, tests, sizeof tests / sizeof tests[0]);
  ct_patch_scratch_free(&scratch);
  return status;
}
