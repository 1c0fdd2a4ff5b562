/* Operations on one cone, for Newton's methods over many cones. G_i is the matrix of the cone's
 * columns (ct_cone), S the derivative of the projection onto the cone. */
#ifndef FRICTION_CONE_PROJECTION_H
#define FRICTION_CONE_PROJECTION_H

#include "friction/cone_active_set.h"

/* Computes the velocities at the contact, x [3] = G_i' y, from the velocities y of all blocks. */
void ct_cone_pull(const ct_cone *cone, const double *y, double *x);
/* Adds the generalised forces of a contact force x [3]: out += scale G_i x. */
void ct_cone_push(const ct_cone *cone, const double *x, double scale, double *out);
/* Projects x onto the cone |tangential| <= mu normal: f [3] is the closest point, slope [9] (may be
 * NULL) the derivative S. */
void ct_cone_project(double mu, const double *x, double *f, double *slope);
/* Adds a product of one contact to the block of two sides: out [6 x 6] += G_i(r) S G_i(c)', where
 * G_i(side) has the rows of one side. */
void ct_cone_add_product(const ct_cone *cone, const double *slope, size_t r, size_t c, double *out);

#endif
