/* Flat contacts of the elastic law: the common solid of two convex bodies below a reference plane,
 * and the energy and force of an elastic foundation with the stiffness of a flat punch.
 *
 * One of the bodies, the reference, has a flat face; z is the depth below its plane. With the
 * volume V and the first moment I = 2 int z dV = int z^2 dA of the common solid, the elastic energy
 * is
 *
 *   U = (E / sqrt(pi)) I^1.5 / V,          E the combined modulus of both materials.
 *
 * A level face of area A at depth d has V = A d, I = A d^2 and the force dU/dd = 2 E sqrt(A / pi)
 * d: that of a rigid flat punch (Sneddon 1965; King 1987: 1.2 % less for a square). For a sphere U
 * is 1.0206 times Hertz' energy. V and I are integrals over the solid, so U is continuously
 * differentiable in the pose, and the force is its gradient: no energy is made when a box rocks
 * from corner to corner, and the triangulation of a face has no effect.
 *
 * If the body is displaced by u(x), dV = int n . u dS and d int z dV = int z n . u dS over the part
 * of its surface inside the reference, which gives force and torque without derivatives of V. */
#ifndef COMPLIANT_COMPLIANT_PATCH_H
#define COMPLIANT_COMPLIANT_PATCH_H

#include "volume/volume_body.h"
#include <contact/compliant.h>

/* A shape and the frame in which it is placed, relative to the patch's origin. */
typedef struct ct_patch_side {
  const ct_shape *shape;
  ct_frame frame;
} ct_patch_side;

/* Memory of the computation. Zero-initialised: empty. */
typedef struct ct_patch_scratch {
  ct_volume_body_storage bodies[2];
  ct_vec3 *polygons; /* [2 room] two polygons */
  size_t room;
} ct_patch_scratch;

/* Integrals of the common solid O of the pair. Positions are relative to the origin; S is the part
 * of the body's surface inside the reference, n its outward normal. */
typedef struct ct_patch {
  int body;       /* 0: the body is a, and b is the reference; 1: the body is b */
  ct_vec3 inward; /* unit normal of the reference plane, into the reference */
  double volume;  /* m^3; 0: no common solid */
  double moment;  /* int z dV, m^4 */
  ct_vec3 centroid;
  ct_vec3 tangents[2]; /* unit, in the reference plane */
  double second[3];    /* int of t0^2, t0 t1, t1^2 dV about the centroid, along the tangents, m^5 */
  ct_vec3 area, lever; /* int n dS, int x cross n dS */
  ct_vec3 depth_area, depth_lever; /* int z n dS, int z x cross n dS */
} ct_patch;

/* True if a patch is defined for the shapes, none of which is rounded: a half-space, box or convex
 * with a box or convex, or a half-space with a cylinder. */
bool ct_patch_applies(const ct_shape *a, const ct_shape *b);
/* Computes the patch of two shapes for which it is defined. normal: unit, from a to b; the
 * reference is the body with the face that is most nearly perpendicular to it. False: out of
 * memory. */
bool ct_patch_find(const ct_patch_side *a, const ct_patch_side *b, ct_vec3 normal,
                   ct_patch_scratch *scratch, ct_patch *out);
void ct_patch_scratch_free(ct_patch_scratch *scratch);

/* Elastic energy, J. modulus: combined modulus of both materials, Pa. */
double ct_patch_energy(const ct_patch *patch, double modulus);
/* Force of the law on b at the origin, with its torque there: elastic, damping in proportion to the
 * depth, friction at the centroid, torsion, and rolling resistance. velocity, spin: of b relative
 * to a at the origin. */
ct_compliant_force ct_patch_force(const ct_patch *patch, const ct_elastic_pair *pair,
                                  ct_vec3 velocity, ct_vec3 spin,
                                  const ct_elastic_options *options);

#endif
