/* The curvature of a collider's surface at a contact point. */
#ifndef MECHANICS_MECHANICS_CURVATURE_H
#define MECHANICS_MECHANICS_CURVATURE_H

#include <contact/mechanics.h>

/* Returns form and curvature of a collider's surface at a contact. `point`: on the surface, in the
 * world; `outward`: unit normal of the surface there, in the world (the contact's normal for body
 * a, its opposite for body b). */
ct_surface ct_surface_at(const ct_shape *shape, const ct_frame *frame, ct_feature feature,
                         ct_vec3 point, ct_vec3 outward);

#endif
