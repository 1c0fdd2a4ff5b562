/* Mass properties of shapes in closed form, their transformation and sum, and principal axes.
 *
 * Bodies of revolution are sums of ball caps and cone frusta. A rounded box is the sum of a box,
 * slabs on its faces, quarter cylinders at its edges and eighths of balls at its vertices.
 * Principal axes: cyclic Jacobi rotations of the 3x3 inertia matrix. Hulls are integrated in
 * hull/hull_mass.c, meshes in mesh/mesh_mass.c. */
#include "hull/hull_faces.h"
#include "shape/shape_validity.h"
#include "shape/tapered_capsule.h"

#define PI 3.14159265358979323846
/* Limit of sweeps. Cyclic Jacobi converges quadratically, and a 3x3 matrix needs about 5 sweeps;
 * the limit is reached only if round-off prevents convergence. */
#define JACOBI_SWEEPS_MAX 32
/* Above this theta, sqrt(theta^2 + 1) equals |theta| in doubles. */
#define JACOBI_THETA_LARGE 1e100

/* A body of revolution about the z axis at unit density. With disc radius rho(z), disc area A = pi
 * rho^2 and t = z - origin: the integrals over z of A, A t, A t^2, and of the disc's second moment
 * about a diameter, pi rho^4 / 4. */
typedef struct revolved {
  double origin, volume, first, second, disc;
} revolved;

/* Integrates the part of a ball with t <= s radius, where t is z measured from the centre and s is
 * in [-1, 1]. */
static revolved integrate_cap_below(double center, double radius, double s) {
  double r3 = radius * radius * radius, r4 = r3 * radius, r5 = r4 * radius,
         c2 = (1.0 - s) * (1.0 + s), s3 = s * s * s;
  return (revolved){.origin = center,
                    .volume = PI * r3 * (1.0 + s) * (1.0 + s) * (2.0 - s) / 3.0,
                    .first = -PI * r4 * c2 * c2 / 4.0,
                    .second = PI * r5 * (s3 / 3.0 - s3 * s * s / 5.0 + 2.0 / 15.0),
                    .disc = PI * r5 * (s - 2.0 * s3 / 3.0 + s3 * s * s / 5.0 + 8.0 / 15.0) / 4.0};
}

static revolved integrate_cap_above(double center, double radius, double s) {
  revolved part = integrate_cap_below(center, radius, -s);
  part.first = -part.first;
  return part;
}

/* Integrates a cone frustum with radius p at z = origin and radius q at z = origin + height. */
static revolved integrate_frustum(double origin, double height, double p, double q) {
  double pp = p * p, pq = p * q, qq = q * q;
  return (revolved){.origin = origin,
                    .volume = PI * height * (pp + pq + qq) / 3.0,
                    .first = PI * height * height * (pp + 2.0 * pq + 3.0 * qq) / 12.0,
                    .second = PI * height * height * height * (pp + 3.0 * pq + 6.0 * qq) / 30.0,
                    .disc = PI * height * (pp * pp + pp * pq + pp * qq + pq * qq + qq * qq) / 20.0};
}

static ct_mat3 make_diagonal(double x, double y, double z) {
  return (ct_mat3){{x, 0.0, 0.0}, {0.0, y, 0.0}, {0.0, 0.0, z}};
}

static ct_mass_properties ball_mass(double center, double radius) {
  double volume = 4.0 / 3.0 * PI * radius * radius * radius, i = 0.4 * volume * radius * radius;
  return (ct_mass_properties){volume, volume, {0.0, 0.0, center}, make_diagonal(i, i, i)};
}

/* Sums the parts of a body of revolution to its mass properties. */
static ct_mass_properties combine_revolved(const revolved *parts, int count) {
  double volume = 0.0, moment = 0.0, across = 0.0, along = 0.0;
  for (int i = 0; i < count; i++) {
    volume += parts[i].volume;
    moment += parts[i].first + parts[i].volume * parts[i].origin;
  }
  double center = moment / volume;
  /* The second moments are moved part by part to the common centre of mass, so that no large terms
   * cancel. */
  for (int i = 0; i < count; i++) {
    double d = parts[i].origin - center;
    across += parts[i].disc + (parts[i].second + d * (2.0 * parts[i].first + d * parts[i].volume));
    along += 2.0 * parts[i].disc;
  }
  return (ct_mass_properties){
      volume, volume, {0.0, 0.0, center}, make_diagonal(across, across, along)};
}

/* Computes the mass properties of a tapered capsule. The cone is tangent to both balls at distance
 * s radius from their centres along z, with s = (radius_bottom - radius_top) / distance of the
 * centres. The solid is the bottom ball below its circle of tangency, the frustum, and the top ball
 * above its circle. */
static ct_mass_properties capsule_mass(const ct_capsule_form *c) {
  double apart = 2.0 * c->top, lead = c->radius_bottom - c->radius_top, s = lead / apart;
  double c2 = (apart - lead) / apart * ((apart + lead) / apart), cosine = sqrt(c2);
  revolved parts[3] = {integrate_cap_below(-c->top, c->radius_bottom, s),
                       integrate_frustum(-c->top + c->radius_bottom * s, apart * c2,
                                         c->radius_bottom * cosine, c->radius_top * cosine),
                       integrate_cap_above(c->top, c->radius_top, s)};
  return combine_revolved(parts, 3);
}

static ct_mass_properties cylinder_mass(double radius, double a) {
  double volume = 2.0 * PI * radius * radius * a,
         across = volume * (radius * radius / 4.0 + a * a / 3.0);
  return (ct_mass_properties){volume,
                              volume,
                              {0.0, 0.0, 0.0},
                              make_diagonal(across, across, 0.5 * volume * radius * radius)};
}

static ct_mass_properties cone_mass(double a, double bottom, double top) {
  if (bottom == top) return cylinder_mass(bottom, a);
  revolved part = integrate_frustum(-a, 2.0 * a, bottom, top);
  return combine_revolved(&part, 1);
}

static ct_mass_properties ellipsoid_mass(ct_vec3 r) {
  double volume = 4.0 / 3.0 * PI * r.x * r.y * r.z;
  return (ct_mass_properties){volume,
                              volume,
                              {0.0, 0.0, 0.0},
                              make_diagonal(volume * (r.y * r.y + r.z * r.z) / 5.0,
                                            volume * (r.z * r.z + r.x * r.x) / 5.0,
                                            volume * (r.x * r.x + r.y * r.y) / 5.0)};
}

/* Returns the integral of x^2 over a box with half edges a (along x), b, c dilated by a ball of
 * radius p: sum of box, slabs, quarter cylinders and eighths of balls. */
static double rounded_second(double a, double b, double c, double p) {
  double aa = a * a, a3 = aa * a, pp = p * p, p3 = pp * p, p4 = p3 * p;
  double faces =
      8.0 / 3.0 * b * c * p * (3.0 * aa + 3.0 * a * p + pp) + 8.0 / 3.0 * p * (b + c) * a3;
  double edges = 2.0 / 3.0 * PI * pp * a3 +
                 2.0 * (b + c) * (PI * pp * aa + 8.0 / 3.0 * a * p3 + PI * p4 / 4.0);
  double corners = 4.0 / 3.0 * PI * p3 * aa + PI * a * p4 + 4.0 / 15.0 * PI * p4 * p;
  return 8.0 / 3.0 * a3 * b * c + faces + edges + corners;
}

static ct_mass_properties rounded_box_mass(ct_vec3 h, double p) {
  double volume = 8.0 * h.x * h.y * h.z + 8.0 * p * (h.x * h.y + h.y * h.z + h.z * h.x) +
                  2.0 * PI * p * p * (h.x + h.y + h.z) + 4.0 / 3.0 * PI * p * p * p;
  double x = rounded_second(h.x, h.y, h.z, p), y = rounded_second(h.y, h.z, h.x, p),
         z = rounded_second(h.z, h.x, h.y, p);
  return (ct_mass_properties){volume, volume, {0.0, 0.0, 0.0}, make_diagonal(y + z, z + x, x + y)};
}

static ct_mass_properties box_mass(ct_vec3 h) {
  double volume = 8.0 * h.x * h.y * h.z;
  return (ct_mass_properties){volume,
                              volume,
                              {0.0, 0.0, 0.0},
                              make_diagonal(volume * (h.y * h.y + h.z * h.z) / 3.0,
                                            volume * (h.z * h.z + h.x * h.x) / 3.0,
                                            volume * (h.x * h.x + h.y * h.y) / 3.0)};
}

static ct_mat3 scale_matrix(ct_mat3 m, double s) {
  return (ct_mat3){ct_scale(m.rx, s), ct_scale(m.ry, s), ct_scale(m.rz, s)};
}

static ct_mat3 add_matrices(ct_mat3 a, ct_mat3 b) {
  return (ct_mat3){ct_add(a.rx, b.rx), ct_add(a.ry, b.ry), ct_add(a.rz, b.rz)};
}

/* Computes the mass properties at density 1 of a shape with outward rounding. False: there is no
 * closed form, or the shape has no volume. */
static bool integrate_unit_density(const ct_shape *shape, ct_mass_properties *m) {
  double rounding = shape->rounding;
  switch (shape->kind) {
  case CT_KIND_SPHERE: *m = ball_mass(0.0, shape->sphere.radius + rounding); return true;
  case CT_KIND_BOX:
    *m = rounding > 0.0 ? rounded_box_mass(shape->box.half, rounding) : box_mass(shape->box.half);
    return true;
  case CT_KIND_CAPSULE: {
    ct_capsule_form c = ct_capsule_reduce(shape);
    *m = c.is_ball ? ball_mass(c.top, c.radius_top) : capsule_mass(&c);
    return true;
  }
  default: break;
  }
  /* The remaining kinds have no closed form with outward rounding. */
  if (rounding > 0.0) return false;
  switch (shape->kind) {
  case CT_KIND_CYLINDER:
    *m = cylinder_mass(shape->cylinder.radius, shape->cylinder.half_length);
    return true;
  case CT_KIND_CONE:
    *m = cone_mass(shape->cone.half_length, shape->cone.radius_bottom, shape->cone.radius_top);
    return true;
  case CT_KIND_ELLIPSOID: *m = ellipsoid_mass(shape->ellipsoid.radii); return true;
  case CT_KIND_CONVEX: {
    const ct_hull_view *view = ct_hull_get(shape->inset ? ct_hull_outer(shape->hull) : shape->hull);
    *m = (ct_mass_properties){view->volume, view->volume, view->centroid, view->inertia};
    return true;
  }
  case CT_KIND_MESH:
  case CT_KIND_TETMESH:
  case CT_KIND_HEXMESH:
  case CT_KIND_ELEMENTMESH: {
    const ct_mesh_view *view = ct_mesh_get(shape->mesh);
    *m = (ct_mass_properties){view->volume, view->volume, view->centroid, view->inertia};
    return view->solid;
  }
  default: return false;
  }
}

bool ct_shape_mass(const ct_shape *shape, double density, ct_mass_properties *out) {
  ct_shape bare = *shape;
  bare.margin = 0.0;
  if (bare.inset) bare.rounding = 0.0;
  ct_mass_properties m;
  if (!ct_shape_is_valid(shape)) return false;
  if (!integrate_unit_density(&bare, &m)) return false;
  m.mass = m.volume * density;
  m.inertia = scale_matrix(m.inertia, density);
  *out = m;
  return true;
}

/* Returns the symmetric part of the matrix, so that a rotated inertia R I R^T is symmetric to the
 * bit. */
static ct_mat3 symmetrize(ct_mat3 m) {
  double xy = 0.5 * (m.rx.y + m.ry.x), yz = 0.5 * (m.ry.z + m.rz.y), zx = 0.5 * (m.rz.x + m.rx.z);
  return (ct_mat3){{m.rx.x, xy, zx}, {xy, m.ry.y, yz}, {zx, yz, m.rz.z}};
}

ct_mass_properties ct_mass_place(const ct_mass_properties *part, const ct_frame *frame) {
  ct_frame room;
  frame = ct_frame_or_unturned(frame, &room);
  ct_mass_properties m = *part;
  m.center = ct_to_parent(*frame, part->center);
  m.inertia = symmetrize(
      ct_mat_mat(ct_mat_mat(frame->rotation, part->inertia), ct_mat_transpose(frame->rotation)));
  return m;
}

ct_mass_properties ct_mass_add(const ct_mass_properties *a, const ct_mass_properties *b) {
  double mass = a->mass + b->mass;
  double share = mass > 0.0 ? b->mass / mass : 0.0, reduced = a->mass * share;
  ct_vec3 d = ct_sub(b->center, a->center);
  double xx = d.x * d.x, yy = d.y * d.y, zz = d.z * d.z;
  ct_mat3 apart = {{yy + zz, -d.x * d.y, -d.z * d.x},
                   {-d.x * d.y, zz + xx, -d.y * d.z},
                   {-d.z * d.x, -d.y * d.z, xx + yy}};
  return (ct_mass_properties){
      .volume = a->volume + b->volume,
      .mass = mass,
      .center = ct_add_scaled(a->center, d, share),
      .inertia = add_matrices(add_matrices(a->inertia, b->inertia), scale_matrix(apart, reduced))};
}

/* Applies one Jacobi rotation in the plane (p, q): zeroes a[p][q] and multiplies the columns of v
 * by the rotation. */
static void jacobi_rotate(double a[3][3], double v[3][3], int p, int q) {
  double theta = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
  double root = fabs(theta) > JACOBI_THETA_LARGE ? fabs(theta) : sqrt(theta * theta + 1.0);
  double t = (theta >= 0.0 ? 1.0 : -1.0) / (fabs(theta) + root), c = 1.0 / sqrt(t * t + 1.0),
         s = t * c;
  int r = 3 - p - q;
  double apq = a[p][q], arp = a[r][p], arq = a[r][q];
  a[p][p] -= t * apq;
  a[q][q] += t * apq;
  a[p][q] = a[q][p] = 0.0;
  a[r][p] = a[p][r] = c * arp - s * arq;
  a[r][q] = a[q][r] = s * arp + c * arq;
  for (int i = 0; i < 3; i++) {
    double vp = v[i][p], vq = v[i][q];
    v[i][p] = c * vp - s * vq;
    v[i][q] = s * vp + c * vq;
  }
}

/* Diagonalises a by Jacobi sweeps until every off-diagonal entry is below the round-off of the
 * diagonal. The columns of v become the axes. */
static void diagonalize_jacobi(double a[3][3], double v[3][3]) {
  static const int planes[3][2] = {{0, 1}, {0, 2}, {1, 2}};
  for (int sweep = 0; sweep < JACOBI_SWEEPS_MAX; sweep++) {
    bool done = true;
    for (int i = 0; i < 3; i++) {
      int p = planes[i][0], q = planes[i][1];
      double small = ct_min2(fabs(a[p][p]), fabs(a[q][q]));
      if (a[p][q] == 0.0 || fabs(a[p][q]) < 0x1p-60 * small) continue;
      jacobi_rotate(a, v, p, q);
      done = false;
    }
    if (done) return;
  }
}

/* Returns the axis or its negative, so that the component of largest magnitude is positive: the
 * sign of an axis is arbitrary. */
static ct_vec3 orient_axis(ct_vec3 a) {
  double m = fabs(a.x) >= fabs(a.y) ? a.x : a.y;
  m = fabs(m) >= fabs(a.z) ? m : a.z;
  return m < 0.0 ? ct_neg(a) : a;
}

/* Returns the quaternion of the rotation with these columns, with w >= 0. It is computed from its
 * largest component (Shepperd 1978), which avoids cancellation. */
static ct_quat quaternion_from_columns(ct_vec3 x, ct_vec3 y, ct_vec3 z) {
  double trace = x.x + y.y + z.z;
  ct_quat q;
  if (trace >= x.x && trace >= y.y && trace >= z.z) {
    q = (ct_quat){y.z - z.y, z.x - x.z, x.y - y.x, 1.0 + trace};
  } else if (x.x >= y.y && x.x >= z.z) {
    q = (ct_quat){1.0 + x.x - y.y - z.z, y.x + x.y, z.x + x.z, y.z - z.y};
  } else if (y.y >= z.z) {
    q = (ct_quat){y.x + x.y, 1.0 - x.x + y.y - z.z, z.y + y.z, z.x - x.z};
  } else {
    q = (ct_quat){z.x + x.z, z.y + y.z, 1.0 - x.x - y.y + z.z, x.y - y.x};
  }
  double n = sqrt(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
  if (q.w < 0.0) n = -n;
  return (ct_quat){q.x / n, q.y / n, q.z / n, q.w / n};
}

void ct_inertia_principal(const ct_mat3 *inertia, ct_vec3 *moments, ct_quat *axes) {
  const ct_mat3 *m = inertia;
  double a[3][3] = {
      {m->rx.x, m->rx.y, m->rx.z}, {m->rx.y, m->ry.y, m->ry.z}, {m->rx.z, m->ry.z, m->rz.z}};
  double v[3][3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
  diagonalize_jacobi(a, v);
  /* Sort the moments in descending order. */
  int order[3] = {0, 1, 2};
  for (int i = 1; i < 3; i++) {
    for (int j = i; j > 0 && a[order[j]][order[j]] > a[order[j - 1]][order[j - 1]]; j--) {
      int t = order[j];
      order[j] = order[j - 1];
      order[j - 1] = t;
    }
  }
  *moments = ct_vec(a[order[0]][order[0]], a[order[1]][order[1]], a[order[2]][order[2]]);
  /* The third axis is the cross product of the others, so that the axes form a rotation, not a
   * reflection. */
  ct_vec3 x = orient_axis(ct_vec(v[0][order[0]], v[1][order[0]], v[2][order[0]]));
  ct_vec3 y = orient_axis(ct_vec(v[0][order[1]], v[1][order[1]], v[2][order[1]]));
  *axes = quaternion_from_columns(x, y, ct_cross(x, y));
}
