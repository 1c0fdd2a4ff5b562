/* Materials: what bodies in contact are made of, and what a pair of them does. */
#ifndef CONTACT_MATERIAL_H
#define CONTACT_MATERIAL_H

#include <contact/linkage.h>
#include <contact/status.h>
#include <contact/text.h>

CT_DECLARATIONS_BEGIN

/* What is not given is 0: no friction, no restitution; an elastic modulus of 0 is one that is not known. */
typedef struct ct_material {
  double static_friction;  /* >= dynamic_friction */
  double dynamic_friction; /* >= 0 */
  double restitution;      /* 0 .. 1 */
  double rolling_friction; /* >= 0 */
  double youngs_modulus;   /* Pa, > 0; 0: not known */
  double poisson_ratio;    /* 0 < nu < 1; 0: not known */
} ct_material;

typedef struct ct_named_material {
  ct_text name;
  ct_material material;
} ct_named_material;

/* The material of colliders that name none, where the scene has one of this name. */
#define CT_MATERIAL_DEFAULT "default"

/* What two materials do together, in place of what would follow from each: those of the four that are given (NAN: not given). */
typedef struct ct_material_pair {
  ct_text a, b; /* names; symmetric; may be the same */
  double static_friction, dynamic_friction, restitution, rolling_friction;
} ct_material_pair;

typedef struct ct_materials {
  const ct_named_material *items; /* [count] each name once */
  size_t count;
  const ct_material_pair *pairs; /* [pair_count] at most one for a pair */
  size_t pair_count;
} ct_materials;

/* What acts between two surfaces. */
typedef struct ct_pair_material {
  double static_friction, dynamic_friction, restitution, rolling_friction;
} ct_pair_material;

/* Friction of both kinds, and rolling friction, sqrt(a b), so that of a material with itself it is its own; restitution the lesser.
 * Symmetric, bit for bit. */
ct_pair_material ct_material_combine(const ct_material *a, const ct_material *b);

CT_DECLARATIONS_END

#endif
