/* The curvature of a collider's surface at a contact point. */
#ifndef MECHANICS_MECHANICS_CURVATURE_H
#define MECHANICS_MECHANICS_CURVATURE_H

#include <contact/mechanics.h>

/* A collider's surface at a contact: which form it has and how it is bent. point: on the surface,
 * world; outward: the surface's unit normal there, world, so the contact's normal of body a, its
 * negative of body b. */
ct_surface ct_surface_at(const ct_shape *shape, const ct_frame *frame, ct_feature feature,
                         ct_vec3 point, ct_vec3 outward);

#endif
