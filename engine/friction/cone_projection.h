/* What Newton's methods over many cones ask of one: G_i is its columns, S how its projection moves.
 */
#ifndef FRICTION_CONE_PROJECTION_H
#define FRICTION_CONE_PROJECTION_H

#include "friction/cone_active_set.h"

/* x [3] = G_i' y */
void ct_cone_pull(const ct_cone *cone, const double *y, double *x);
/* out += scale G_i x */
void ct_cone_push(const ct_cone *cone, const double *x, double scale, double *out);
/* f [3] is the nearest point of the cone |tangential| <= mu normal to x, slope [9] (may be NULL)
 * its derivative. */
void ct_cone_project(double mu, const double *x, double *f, double *slope);
/* out [6 x 6] += G_i's side r times S times its side c, transposed. */
void ct_cone_add_product(const ct_cone *cone, const double *slope, size_t r, size_t c, double *out);

#endif
