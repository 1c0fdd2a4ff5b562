/* Portals: triangles of support points of the Minkowski difference a - b that a ray from its inside to the origin passes through.
 */
#ifndef METHODS_MPR_PORTAL_H
#define METHODS_MPR_PORTAL_H

#include "pair/convex_proxy.h"

/* Round-off of products of points, in parts of the square of the scale: below it their vectors tell no direction. */
#define CT_PORTAL_FLAT (200.0 * CT_UNIT_ROUNDOFF)

/* A support point of the difference: r = a - b is extreme along the unit vector e. */
typedef struct ct_portal_point {
  ct_vec3 r, e, a, b;
} ct_portal_point;

typedef struct ct_portal {
  const ct_convex_proxy *a, *b;
  uint32_t near[2];
  ct_vec3 inside;            /* r of the interior points */
  ct_portal_point corner[3]; /* seen from the inside they turn to the right around the ray: (r1-r0)x(r2-r0).(r3-r0) > 0 */
  double scale;              /* largest component of the inside and the first corners; tolerances are parts of it */
  double lower;              /* of the distance, from the best support so far */
  ct_vec3 lower_normal;
  double upper; /* the shortest support: no distance is more */
  uint32_t supports;
} ct_portal;

/* What a portal tells. */
typedef struct ct_portal_answer {
  double distance;
  double reached;           /* how far the surface is from the portal, in scales */
  ct_vec3 normal, nearest;  /* of the portal; its point nearest to the origin */
  ct_portal_point point[3]; /* with `weight` they make `nearest` */
  double weight[3];
  int count;     /* 1: a single support; 3 */
  bool is_foot;  /* is the nearest point the foot of the origin on the plane, not on an edge? */
  bool is_over;  /* does the portal show that the origin is inside? */
  bool is_plane; /* only a plane is told, by a support anywhere on it */
} ct_portal_answer;

typedef enum ct_portal_outcome {
  CT_PORTAL_FOUND,
  CT_PORTAL_PLANAR, /* no triangle: the difference is flat */
  CT_PORTAL_LIMIT,  /* the limit of iterations came first */
  CT_PORTAL_LOST    /* round-off: the ray passes through none of the next portals */
} ct_portal_outcome;

/* The support along a direction that is not zero; it is counted, and sharpens the bounds. */
ct_portal_point ct_portal_support(ct_portal *p, ct_vec3 direction);

/* A single support as an answer: exact apart when it lies on the line of the normal. */
void ct_portal_single(const ct_portal_point *point, ct_vec3 normal, ct_portal_answer *answer);

/* From a portal that the ray passes through to one on the surface, to the tolerance. Of LIMIT and LOST the answer is the best
 * portal's; of PLANAR there is none when answer->count stays 0. */
ct_portal_outcome ct_portal_refine(ct_portal *p, double tolerance, uint32_t limit, ct_portal_answer *answer);

/* Do the corners lie on a line, to round-off? */
bool ct_portal_is_line(const ct_portal *p);

/* The third corner from the other side; the first two change places, so that the turn stays. */
void ct_portal_flip(ct_portal *p);

#endif
