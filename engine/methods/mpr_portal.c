/* Portal refinement of MPR (Neumayr, Otter 2017): supports of the difference, the result of a
 * portal, and refinement toward the surface. Tolerances are scaled instead of the points, so
 * distances need no rescaling. */
#include "methods/mpr_portal.h"

ct_portal_point ct_portal_support(ct_portal *p, ct_vec3 direction) {
  ct_portal_point s = {.e = ct_unit_or(direction, ct_vec(1.0, 0.0, 0.0))};
  double radius_a, radius_b;
  ct_vec3 a = ct_proxy_point(p->a, s.e, &p->hint[0], &radius_a);
  ct_vec3 b = ct_proxy_point(p->b, ct_neg(s.e), &p->hint[1], &radius_b);
  s.a = ct_add_scaled(a, s.e, radius_a);
  s.b = ct_add_scaled(b, s.e, -radius_b);
  s.r = ct_sub(s.a, s.b);
  p->supports++;
  double lower = -ct_dot(s.e, s.r);
  if (lower > p->lower) {
    p->lower = lower;
    p->lower_normal = s.e;
  }
  p->upper = ct_min2(p->upper, ct_norm(s.r));
  return s;
}

void ct_portal_single(const ct_portal_point *point, ct_vec3 normal, ct_portal_answer *answer) {
  answer->distance = -ct_dot(normal, point->r);
  answer->normal = normal;
  answer->nearest = point->r;
  answer->point[0] = *point;
  answer->weight[0] = 1.0;
  answer->count = 1;
  answer->is_foot = true;
  answer->is_over = answer->is_plane = false;
}

static ct_vec3 compute_portal_normal(const ct_portal *p) {
  return ct_cross(ct_sub(p->corner[1].r, p->corner[0].r), ct_sub(p->corner[2].r, p->corner[0].r));
}

bool ct_portal_is_line(const ct_portal *p) {
  return ct_norm(compute_portal_normal(p)) <= CT_PORTAL_FLAT * p->scale * p->scale;
}

void ct_portal_flip(ct_portal *p) {
  ct_portal_point first = p->corner[0];
  p->corner[0] = p->corner[1];
  p->corner[1] = first;
  p->corner[2] = ct_portal_support(p, ct_neg(p->corner[2].e));
}

/* Weight at q of the point of edge pq nearest to the origin. */
static double compute_edge_weight(ct_vec3 p, ct_vec3 q) {
  ct_vec3 d = ct_sub(q, p);
  double length2 = ct_norm2(d);
  if (!(length2 > 0.0)) return 0.0;
  return ct_min2(ct_max2(-ct_dot(p, d) / length2, 0.0), 1.0);
}

/* Weights of the portal's point nearest to the origin: the projection onto the plane if it is
 * inside, else the best point of the three edges. Returns true for the projection. */
static bool compute_nearest_weights(const ct_portal_point corner[3], ct_vec3 normal,
                                    double weight[3]) {
  /* Barycentric coordinates of the origin's projection. */
  double sum = 0.0;
  for (int i = 0; i < 3; i++) {
    weight[i] = ct_dot(normal, ct_cross(corner[(i + 1) % 3].r, corner[(i + 2) % 3].r));
    sum += weight[i];
  }
  bool inside = sum != 0.0;
  for (int i = 0; i < 3 && inside; i++) inside = weight[i] / sum >= 0.0;
  if (inside) {
    for (int i = 0; i < 3; i++) weight[i] /= sum;
    return true;
  }
  /* The projection is outside: nearest point of the three edges. */
  double least = INFINITY;
  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3;
    double t = compute_edge_weight(corner[i].r, corner[j].r),
           length = ct_norm(ct_lerp(corner[i].r, corner[j].r, t));
    if (!(length < least)) continue;
    least = length;
    weight[i] = 1.0 - t;
    weight[j] = t;
    weight[(i + 2) % 3] = 0.0;
  }
  return false;
}

/* Writes the signed distance from the origin to the portal: negative if the portal shows the
 * origin inside. */
static void write_portal_distance(const ct_portal_point corner[3], ct_vec3 normal,
                                  ct_portal_answer *answer) {
  answer->is_foot = compute_nearest_weights(corner, normal, answer->weight);
  answer->nearest = ct_vec(0.0, 0.0, 0.0);
  for (int i = 0; i < 3; i++) {
    answer->point[i] = corner[i];
    answer->nearest = ct_add_scaled(answer->nearest, corner[i].r, answer->weight[i]);
  }
  double length = ct_norm(answer->nearest);
  answer->is_over = ct_dot(answer->nearest, normal) > 0.0;
  answer->distance = answer->is_over ? -length : length;
  answer->normal = normal;
  answer->count = 3;
  answer->is_plane = false;
}

/* True if the ray passes between the half-planes from the inside through r and the corners i and
 * j. */
static bool is_ray_between(const ct_portal *p, ct_vec3 r, int i, int j) {
  ct_vec3 out = ct_sub(r, p->inside);
  ct_vec3 left = ct_cross(ct_sub(p->corner[i].r, p->inside), out),
          right = ct_cross(out, ct_sub(p->corner[j].r, p->inside));
  return ct_dot(left, p->inside) >= 0.0 && ct_dot(right, p->inside) >= 0.0;
}

static bool is_portal_pierced(const ct_portal *p) {
  ct_vec3 m = ct_cross(ct_sub(p->corner[0].r, p->inside), ct_sub(p->corner[1].r, p->inside));
  return ct_dot(m, p->inside) <= 0.0 && is_ray_between(p, p->corner[2].r, 0, 1);
}

static bool advance_portal(ct_portal *p, const ct_portal_point *fourth) {
  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3;
    if (!is_ray_between(p, fourth->r, i, j)) continue;
    ct_portal_point first = p->corner[i], second = p->corner[j];
    p->corner[0] = first;
    p->corner[1] = second;
    p->corner[2] = *fourth;
    return true;
  }
  return false;
}

/* True if a single support on the normal through the origin gives the distance. It must show the
 * origin outside, or the portal must show it inside, or it must be at the origin to the tolerance.
 * Otherwise it would report a depth for an origin beside the body. */
static bool is_single_valid(const ct_portal *p, const ct_portal_point *fourth, double tolerance) {
  double height = ct_dot(fourth->e, fourth->r);
  return height <= tolerance * p->scale || ct_dot(fourth->e, p->corner[0].r) >= 0.0;
}

/* Evaluates a portal by the support along its normal: returns the distance of the surface from the
 * result, relative to the scale, and writes the result. */
static double evaluate_portal(const ct_portal *p, const ct_portal_point *fourth, double tolerance,
                              ct_portal_answer *answer) {
  double aside = ct_norm(ct_cross(fourth->r, fourth->e)) / p->scale;
  double above = fabs(ct_dot(ct_sub(fourth->r, p->corner[0].r), fourth->e)) / p->scale;
  bool single = (aside < tolerance || aside < above) && is_single_valid(p, fourth, tolerance);
  if (single) {
    ct_portal_single(fourth, fourth->e, answer);
    answer->is_over = ct_dot(fourth->e, p->corner[0].r) >= 0.0;
  } else {
    write_portal_distance(p->corner, fourth->e, answer);
  }
  return answer->reached = single ? aside : above;
}

ct_portal_outcome ct_portal_refine(ct_portal *p, double tolerance, uint32_t limit,
                                   ct_portal_answer *answer) {
  bool turned = false;
  answer->count = 0;
  answer->reached = INFINITY;
  for (uint32_t step = 0; step < limit; step++) {
    /* A degenerate portal is turned once to the opposite side. */
    if (ct_portal_is_line(p)) {
      if (turned) return CT_PORTAL_PLANAR;
      turned = true;
      ct_portal_flip(p);
      if (ct_portal_is_line(p) || !is_portal_pierced(p)) return CT_PORTAL_PLANAR;
    }
    /* Evaluate the support along the outward normal; retain the best result. */
    ct_vec3 n = compute_portal_normal(p);
    if (ct_dot(n, p->inside) > 0.0) n = ct_neg(n);
    ct_portal_point fourth = ct_portal_support(p, n);
    ct_portal_answer candidate;
    if (evaluate_portal(p, &fourth, tolerance, &candidate) < answer->reached) *answer = candidate;
    if (answer->reached < tolerance) return CT_PORTAL_FOUND;
    if (!advance_portal(p, &fourth)) return CT_PORTAL_LOST;
  }
  return CT_PORTAL_LIMIT;
}
