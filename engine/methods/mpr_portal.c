/* Supports of the difference, what a portal tells, and its refinement. Tolerances are scaled here instead of the points, so that
 * distances come out as they are. Neumayr, Otter 2017. */
#include "methods/mpr_portal.h"

ct_portal_point ct_portal_support(ct_portal *p, ct_vec3 direction) {
  ct_portal_point s = {.e = ct_unit_or(direction, ct_vec(1.0, 0.0, 0.0))};
  double radius_a, radius_b;
  ct_vec3 a = ct_proxy_point(p->a, s.e, &p->near[0], &radius_a);
  ct_vec3 b = ct_proxy_point(p->b, ct_neg(s.e), &p->near[1], &radius_b);
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

static ct_vec3 normal_of(const ct_portal *p) {
  return ct_cross(ct_sub(p->corner[1].r, p->corner[0].r), ct_sub(p->corner[2].r, p->corner[0].r));
}

bool ct_portal_is_line(const ct_portal *p) { return ct_norm(normal_of(p)) <= CT_PORTAL_FLAT * p->scale * p->scale; }

void ct_portal_flip(ct_portal *p) {
  ct_portal_point first = p->corner[0];
  p->corner[0] = p->corner[1];
  p->corner[1] = first;
  p->corner[2] = ct_portal_support(p, ct_neg(p->corner[2].e));
}

/* The point of the edge from p to q nearest to the origin: its weight at q. */
static double edge_weight(ct_vec3 p, ct_vec3 q) {
  ct_vec3 d = ct_sub(q, p);
  double length2 = ct_norm2(d);
  if (!(length2 > 0.0)) return 0.0;
  return ct_min2(ct_max2(-ct_dot(p, d) / length2, 0.0), 1.0);
}

/* Weights of the corners for the point of the portal nearest to the origin: the foot on its plane where that is inside, else the
 * best of the three edges. Was it the foot? */
static bool nearest_weights(const ct_portal_point corner[3], ct_vec3 normal, double weight[3]) {
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
  double least = INFINITY;
  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3;
    double t = edge_weight(corner[i].r, corner[j].r), length = ct_norm(ct_lerp(corner[i].r, corner[j].r, t));
    if (!(length < least)) continue;
    least = length;
    weight[i] = 1.0 - t;
    weight[j] = t;
    weight[(i + 2) % 3] = 0.0;
  }
  return false;
}

/* Signed distance from the origin to the portal: positive where the origin is beyond it. */
static void answer_of(const ct_portal_point corner[3], ct_vec3 normal, ct_portal_answer *answer) {
  answer->is_foot = nearest_weights(corner, normal, answer->weight);
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

/* Does the ray pass between the half-planes through the inside, r and the corners i and j? */
static bool is_between(const ct_portal *p, ct_vec3 r, int i, int j) {
  ct_vec3 out = ct_sub(r, p->inside);
  ct_vec3 left = ct_cross(ct_sub(p->corner[i].r, p->inside), out), right = ct_cross(out, ct_sub(p->corner[j].r, p->inside));
  return ct_dot(left, p->inside) >= 0.0 && ct_dot(right, p->inside) >= 0.0;
}

static bool is_pierced(const ct_portal *p) {
  ct_vec3 m = ct_cross(ct_sub(p->corner[0].r, p->inside), ct_sub(p->corner[1].r, p->inside));
  return ct_dot(m, p->inside) <= 0.0 && is_between(p, p->corner[2].r, 0, 1);
}

static bool step_to(ct_portal *p, const ct_portal_point *fourth) {
  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3;
    if (!is_between(p, fourth->r, i, j)) continue;
    ct_portal_point first = p->corner[i], second = p->corner[j];
    p->corner[0] = first;
    p->corner[1] = second;
    p->corner[2] = *fourth;
    return true;
  }
  return false;
}

/* A support on the normal through the origin tells the distance when it shows the origin outside, or the portal shows it inside, or
 * it is at the origin to the tolerance: else it would tell a depth of an origin that is only beside it. */
static bool single_tells(const ct_portal *p, const ct_portal_point *fourth, double tolerance) {
  double height = ct_dot(fourth->e, fourth->r);
  return height <= tolerance * p->scale || ct_dot(fourth->e, p->corner[0].r) >= 0.0;
}

/* Judges a portal by the support over it: how far the surface is from what it tells, and what that is. */
static double judge(const ct_portal *p, const ct_portal_point *fourth, double tolerance, ct_portal_answer *answer) {
  double aside = ct_norm(ct_cross(fourth->r, fourth->e)) / p->scale;
  double above = fabs(ct_dot(ct_sub(fourth->r, p->corner[0].r), fourth->e)) / p->scale;
  bool single = (aside < tolerance || aside < above) && single_tells(p, fourth, tolerance);
  if (single) {
    ct_portal_single(fourth, fourth->e, answer);
    answer->is_over = ct_dot(fourth->e, p->corner[0].r) >= 0.0;
  } else {
    answer_of(p->corner, fourth->e, answer);
  }
  return answer->reached = single ? aside : above;
}

ct_portal_outcome ct_portal_refine(ct_portal *p, double tolerance, uint32_t limit, ct_portal_answer *answer) {
  bool turned = false;
  answer->count = 0;
  answer->reached = INFINITY;
  for (uint32_t step = 0; step < limit; step++) {
    if (ct_portal_is_line(p)) {
      if (turned) return CT_PORTAL_PLANAR;
      turned = true;
      ct_portal_flip(p);
      if (ct_portal_is_line(p) || !is_pierced(p)) return CT_PORTAL_PLANAR;
    }
    ct_vec3 n = normal_of(p);
    if (ct_dot(n, p->inside) > 0.0) n = ct_neg(n);
    ct_portal_point fourth = ct_portal_support(p, n);
    ct_portal_answer told;
    if (judge(p, &fourth, tolerance, &told) < answer->reached) *answer = told;
    if (answer->reached < tolerance) return CT_PORTAL_FOUND;
    if (!step_to(p, &fourth)) return CT_PORTAL_LOST;
  }
  return CT_PORTAL_LIMIT;
}
