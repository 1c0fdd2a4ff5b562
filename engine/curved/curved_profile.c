/* Profiles of bodies of revolution. */
#include "curved/curved_profile.h"

static ct_vec3 column(ct_mat3 m, int i) {
  return i == 0   ? ct_vec(m.rx.x, m.ry.x, m.rz.x)
         : i == 1 ? ct_vec(m.rx.y, m.ry.y, m.rz.y)
                  : ct_vec(m.rx.z, m.ry.z, m.rz.z);
}

bool ct_profile_of(const ct_convex_proxy *proxy, double unequal, ct_profile *p) {
  *p = (ct_profile){.half = 0.0};
  if (proxy->kind == CT_PROXY_ELLIPSOID) {
    const double r[3] = {proxy->half.x, proxy->half.y, proxy->half.z};
    for (int i = 0; i < 3; i++) {
      double wide = ct_min2(r[(i + 1) % 3], r[(i + 2) % 3]),
             most = ct_max2(r[(i + 1) % 3], r[(i + 2) % 3]);
      if (most - wide > unequal * most) continue;
      p->axis = column(proxy->rotation, i);
      p->half = r[i];
      p->wide = wide;
    }
    return p->half > 0.0;
  }
  if (proxy->kind != CT_PROXY_FRUSTUM && proxy->kind != CT_PROXY_SEGMENT) return false;
  bool frustum = proxy->kind == CT_PROXY_FRUSTUM;
  p->axis = ct_unit_or(proxy->axis[2], proxy->axis[2]);
  p->end[1] = frustum ? proxy->half.z : proxy->size;
  p->end[0] = -p->end[1];
  for (int i = 0; i < 2; i++) {
    if (frustum) p->disc[i] = proxy->rim[i];
    else if (ct_proxy_is_tapered(proxy)) p->ball[i] = proxy->radius[i];
  }
  return true;
}

ct_profile_point ct_profile_farthest(const ct_profile *p, ct_profile_point n) {
  if (p->half > 0.0) {
    double x = p->wide * n.across, z = p->half * n.along, k = sqrt(x * x + z * z);
    return (ct_profile_point){p->wide * (x / k), p->half * (z / k)};
  }
  double level[2];
  for (int i = 0; i < 2; i++) level[i] = p->disc[i] * n.across + p->end[i] * n.along + p->ball[i];
  int i = level[1] >= level[0] ? 1 : 0;
  return (ct_profile_point){p->disc[i] + p->ball[i] * n.across, p->end[i] + p->ball[i] * n.along};
}

double ct_profile_minimum(ct_profile_point at, ct_profile_point n, ct_profile_point m,
                          ct_profile_point *where) {
  ct_profile_point against = {-at.across, -at.along};
  if (ct_profile_cross(n, against) > 0.0 && ct_profile_cross(against, m) > 0.0) {
    double length = sqrt(at.across * at.across + at.along * at.along);
    if (length > 0.0) {
      *where = (ct_profile_point){against.across / length, against.along / length};
      return -length;
    }
  }
  double from = ct_profile_dot(n, at), to = ct_profile_dot(m, at);
  *where = from <= to ? n : m;
  return ct_min2(from, to);
}

ct_profile_point ct_profile_bisector(ct_profile_point from, ct_profile_point to, ct_profile_point n,
                                     ct_profile_point m) {
  ct_profile_point d = {to.across - from.across, to.along - from.along}, middle = n;
  double length = sqrt(d.across * d.across + d.along * d.along);
  /* The normal of the chord lies between, but for round-off. */
  if (length > 0.0) middle = (ct_profile_point){d.along / length, -d.across / length};
  if (length > 0.0 && ct_profile_cross(n, middle) >= 0.0 && ct_profile_cross(middle, m) >= 0.0)
    return middle;
  ct_profile_point sum = {n.across + m.across, n.along + m.along};
  double size = sqrt(sum.across * sum.across + sum.along * sum.along);
  return (ct_profile_point){sum.across / size, sum.along / size};
}
