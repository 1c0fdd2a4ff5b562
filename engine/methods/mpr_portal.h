/* Portals of Minkowski portal refinement (MPR): triangles of support points of the Minkowski
 * difference a - b, pierced by the ray from an interior point to the origin. */
#ifndef METHODS_MPR_PORTAL_H
#define METHODS_MPR_PORTAL_H

#include "pair/convex_proxy.h"

/* Products of points below this part of the squared scale are round-off and define no direction. */
#define CT_PORTAL_FLAT (200.0 * CT_UNIT_ROUNDOFF)

/* A support point of the difference: r = a - b is extreme along the unit vector e; a and b are the
 * bodies' points. */
typedef struct ct_portal_point {
  ct_vec3 r, e, a, b;
} ct_portal_point;

typedef struct ct_portal {
  const ct_convex_proxy *a, *b;
  uint32_t hint[2];
  ct_vec3 inside;            /* difference of the bodies' interior points */
  ct_portal_point corner[3]; /* clockwise seen from the inside: (r1-r0)x(r2-r0).(r3-r0) > 0 */
  double scale; /* largest component of `inside` and the first corners; tolerances are relative to
                   it */
  double lower; /* lower bound of the distance, from the best support so far, and its normal */
  ct_vec3 lower_normal;
  double upper; /* upper bound of the distance: the shortest support vector */
  uint32_t supports;
} ct_portal;

/* Signed distance and its evidence, computed from a portal or a single support. */
typedef struct ct_portal_answer {
  double distance;
  double reached;           /* distance of the surface from the portal, relative to the scale */
  ct_vec3 normal, nearest;  /* normal of the portal, and its point nearest to the origin */
  ct_portal_point point[3]; /* `nearest` is their combination by `weight` */
  double weight[3];
  int count;     /* number of supports: 1 or 3 */
  bool is_foot;  /* true if `nearest` is the projection of the origin onto the plane, not a point of
                    an edge */
  bool is_over;  /* true if the portal shows the origin inside */
  bool is_plane; /* true if only a supporting plane is known, by any support point on it */
} ct_portal_answer;

typedef enum ct_portal_outcome {
  CT_PORTAL_FOUND,
  CT_PORTAL_PLANAR, /* no triangle: the Minkowski difference is flat */
  CT_PORTAL_LIMIT,  /* iteration limit reached */
  CT_PORTAL_LOST    /* round-off: the ray pierces none of the next portals */
} ct_portal_outcome;

/* Evaluates the support along a nonzero direction, counts it, and tightens the bounds. */
ct_portal_point ct_portal_support(ct_portal *p, ct_vec3 direction);

/* Writes the result of a single support; exact for separated bodies if it is on the line of the
 * normal. */
void ct_portal_single(const ct_portal_point *point, ct_vec3 normal, ct_portal_answer *answer);

/* Refines a portal that the ray pierces until it is on the surface, to the tolerance. LIMIT and
 * LOST leave the best portal's result in *answer. PLANAR with answer->count 0 leaves none. */
ct_portal_outcome ct_portal_refine(ct_portal *p, double tolerance, uint32_t limit,
                                   ct_portal_answer *answer);

/* True if the corners are collinear, to round-off. */
bool ct_portal_is_line(const ct_portal *p);

/* Replaces the third corner by the opposite support, and exchanges the first two to keep the
 * orientation. */
void ct_portal_flip(ct_portal *p);

#endif
