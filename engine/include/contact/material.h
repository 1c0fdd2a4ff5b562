/* Materials of bodies, and contact properties of pairs of materials. */
#ifndef CONTACT_MATERIAL_H
#define CONTACT_MATERIAL_H

#include <contact/linkage.h>
#include <contact/status.h>
#include <contact/text.h>

CT_DECLARATIONS_BEGIN

/* Properties that are not given are 0: no friction, no restitution; an elastic modulus of 0 is
 * unknown. */
typedef struct ct_material {
  double static_friction;  /* >= dynamic_friction */
  double dynamic_friction; /* >= 0 */
  double restitution;      /* 0 .. 1 */
  double rolling_friction; /* >= 0 */
  double youngs_modulus;   /* Pa, > 0; 0: unknown */
  double poisson_ratio;    /* 0 < nu < 1; 0: unknown */
} ct_material;

typedef struct ct_named_material {
  ct_text name;
  ct_material material;
} ct_named_material;

/* Name of the material used by colliders without one, if the scene has it. */
#define CT_MATERIAL_DEFAULT "default"

/* Properties of a pair of materials that replace the combined ones; NAN: not given. */
typedef struct ct_material_pair {
  ct_text a, b; /* material names; symmetric; may be equal */
  double static_friction, dynamic_friction, restitution, rolling_friction;
} ct_material_pair;

typedef struct ct_materials {
  const ct_named_material *items; /* [count] unique names */
  size_t count;
  const ct_material_pair *pairs; /* [pair_count] at most one per pair */
  size_t pair_count;
} ct_materials;

/* Contact properties of two surfaces. */
typedef struct ct_pair_material {
  double static_friction, dynamic_friction, restitution, rolling_friction;
} ct_pair_material;

/* Combined properties: friction coefficients (all three kinds) sqrt(a b), restitution the smaller
 * one. Equal materials keep their own friction. Symmetric, bit for bit. O(1). */
ct_pair_material ct_material_combine(const ct_material *a, const ct_material *b);

CT_DECLARATIONS_END

#endif
