/* Shapes: kinds, support function, box, mass properties. Local frames; axes along z; half-space solid below z = 0. */
#ifndef CONTACT_SHAPE_H
#define CONTACT_SHAPE_H

#include <contact/hull.h>
#include <contact/mesh.h>
#include <contact/status.h>
#include <contact/vec.h>

/* One row per kind: enum name, word on the wire. The order is that of the pair matrix. */
#define CT_KIND_MAP(X)                                                                                                 \
  X(SPHERE, "sphere")                                                                                                  \
  X(BOX, "box")                                                                                                        \
  X(CAPSULE, "capsule")                                                                                                \
  X(CONVEX, "convex")                                                                                                  \
  X(PLANE, "plane")

typedef enum ct_kind {
#define CT_KIND_ENUM(name, word) CT_KIND_##name,
  CT_KIND_MAP(CT_KIND_ENUM)
#undef CT_KIND_ENUM
      CT_KIND_COUNT
} ct_kind;

/* A shape by value; a convex borrows its hull (who stores a shape retains the hull).
 * Lengths in m within CT_SIZE_MIN..CT_SIZE_MAX; half_length may be 0 (a sphere, bit for bit). */
typedef struct ct_shape {
  ct_kind kind;
  union {
    struct {
      double radius;
    } sphere;
    struct {
      ct_vec3 half; /* half edge lengths */
    } box;
    struct {
      double half_length;   /* cap centres at z = -half_length (bottom) and +half_length (top) */
      double radius_bottom; /* convex hull of the two balls */
      double radius_top;
    } capsule;
    const ct_hull *hull;
  };
} ct_shape;

typedef struct ct_mass_properties {
  double volume;     /* m^3 */
  double mass;       /* kg */
  ct_vec3 center;    /* of mass, in the frame asked for, m */
  ct_mat3 inertia;   /* about center, axes of that frame, kg m^2 */
} ct_mass_properties;

/* Word of the kind ("sphere"); static storage. */
const char *ct_kind_word(ct_kind kind);

/* A point of the shape that maximises direction.p, local frame; ties go to + for boxes, to the lowest vertex for hulls.
 * direction must not be zero; not for planes. */
ct_vec3 ct_shape_support(const ct_shape *shape, ct_vec3 direction);

/* Smallest axis-aligned box of the placed shape, outward-rounded so that it holds the exact shape. A plane's box is infinite
 * but for the side it bounds when its normal is exactly along an axis. O(1), hulls O(vertices). */
ct_box ct_shape_box(const ct_shape *shape, const ct_frame *frame);

/* Centre and radius of a bounding ball, local frame; a plane has radius infinity. */
void ct_shape_ball(const ct_shape *shape, ct_vec3 *center, double *radius);

/* Volume, centre and inertia at the given density (kg/m^3), local frame. Exact formulas; false for a plane, which has none. */
bool ct_shape_mass(const ct_shape *shape, double density, ct_mass_properties *out);

/* Mass properties of a part seen from the frame that it is placed in. */
ct_mass_properties ct_mass_place(const ct_mass_properties *part, const ct_frame *frame);
/* Sum of two bodies of mass in one frame (parallel axes); overlaps count twice. */
ct_mass_properties ct_mass_add(const ct_mass_properties *a, const ct_mass_properties *b);
/* Principal moments (descending) and the rotation whose matrix columns are their axes. Jacobi; deterministic. */
void ct_inertia_principal(const ct_mat3 *inertia, ct_vec3 *moments, ct_quat *axes);

#endif
