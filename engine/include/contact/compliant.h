/* Elastic contact response: Hertz' law with the damping of Flores, regularised friction, rolling
 * resistance.
 *
 * Modia3D: Neumayr, Otter 2017, 2019; damping: Flores, Machado, Silva, Martins 2011. */
#ifndef CONTACT_COMPLIANT_H
#define CONTACT_COMPLIANT_H

#include <contact/base.h>
#include <contact/contact_state.h>
#include <contact/mechanics.h>

CT_DECLARATIONS_BEGIN

/* One solid of a contact. */
typedef struct ct_elastic_solid {
  double youngs_modulus, poisson_ratio; /* Young's modulus, Pa, and Poisson's ratio nu, 0 < nu <
                                           1 */
  double radius; /* substitute radius of curvature at a contact, m, as from ct_elastic_radius */
  bool flat;
} ct_elastic_solid;

typedef struct ct_elastic_options {
  /* speed, m/s, below which friction is regularised (slip) and restitution is 0 (approach); 0: the
   * default, 0.01 */
  double small_velocity;
  /* angular speed, rad/s, below which rolling resistance is regularised; 0: the default, 0.01 */
  double small_angular_velocity;
  double stiffness_factor; /* factor of the stiffness (k_red of Modia3D); 0: 1 */
  double damping_max;      /* largest damping factor d_res, s/m; 0: the default, 2000 */
  /* true: negative (adhesive) normal forces at the end of fast contacts are applied; false: they
   * are replaced by 0 */
  bool pull;
} ct_elastic_options;
/* Defaults: the values that the members' comments give for 0; pull is false. */
ct_elastic_options ct_elastic_options_default(void);

/* Returns the options with every 0 replaced by the default of its member. */
ct_elastic_options ct_elastic_options_effective(const ct_elastic_options *options);

/* Constants of the elastic law for one contact, fixed while the contact lasts. The normal force is
 * f = c_res c_geo depth^n_geo (1 + damping depth'). */
typedef struct ct_elastic_pair {
  double c_res;  /* combined modulus of both materials, Pa */
  double mu_geo; /* combined radius of both solids, m */
  /* factor and exponent of the depth; c_geo has the unit that makes f a force in N */
  double c_geo, n_geo;
  double restitution; /* coefficient of restitution used; 0 for slow approaches */
  double damping;     /* damping factor d_res, s/m */
  double dynamic_friction, rolling_friction;
} ct_elastic_pair;

typedef struct ct_compliant_force {
  /* depth = -distance, m; its rate of change = -normal velocity, m/s */
  double depth, depth_rate;
  double slip, angular_speed; /* |tangential velocity|, m/s; |w_b - w_a|, rad/s */
  /* magnitudes of the normal force, N, of the friction force, N, and of the rolling torque, N m */
  double normal, tangential, rolling;
  ct_vec3 friction; /* tangential force on b, N */
  /* force, N, and torque, N m, on b at the contact's position; the opposite ones act on a */
  ct_vec3 force, torque;
} ct_compliant_force;

/* Returns the substitute radius of curvature of a shape at a contact, m; *flat: set to true for a
 * box or half-space. Sphere, capsule: d/2; box, ellipsoid: least edge or axis / 2; cylinder: min(d,
 * h)/2; cone: (d + d_top)/4; convex and mesh: shortest edge / 2; half-space: INFINITY. */
double ct_elastic_radius(const ct_shape *shape, bool *flat);

/* Writes the elastic solid of a row's collider to *out (may be NULL): the moduli of its material
 * and the radius of its shape. False: the material's modulus or Poisson ratio is unknown. */
bool ct_scene_elastic_solid(const ct_scene *scene, uint32_t row, uint32_t collider,
                            ct_elastic_solid *out);

/* Computes the constants of the law for two solids. approach: |normal velocity| when the contact
 * began, m/s. A solid of modulus 0 deforms without force. So does a solid of radius 0, unless it is
 * flat and the other one is not. O(1). */
ct_elastic_pair ct_elastic_pair_of(const ct_elastic_solid *a, const ct_elastic_solid *b,
                                   const ct_pair_material *material, double approach,
                                   const ct_elastic_options *options);
/* Regularised speed: v if v >= s, else (v^2/s)(1 - v/(3 s)) + s/3. It is twice differentiable in v
 * and positive for all v >= 0. */
double ct_regularised(double v, double s);
/* Computes the contact force of the law from the contact's distance and the velocities of the set's
 * bodies; 0 if the distance is >= 0. contact->a and b are bodies of the set. O(1). */
ct_compliant_force ct_compliant_law(const ct_elastic_pair *pair, const ct_contact_set *set,
                                    const ct_contact *contact, const ct_elastic_options *options);

/* ---- of a scene ----------------------------------------------------------------------------- */

typedef struct ct_compliant_options {
  ct_elastic_options elastic;
  /* Young's modulus, Pa, and Poisson's ratio, which replace those of the materials of all
   * colliders; youngs_modulus 0: not given */
  double youngs_modulus, poisson_ratio;
  /* state whose records contain the approach velocities at which the contacts began; NULL: the
   * current velocities are used */
  const ct_contact_state *state;
  const ct_cancel *cancel;
} ct_compliant_options;
/* Defaults: elastic from ct_elastic_options_default; all other members 0 or NULL. */
ct_compliant_options ct_compliant_options_default(void);

typedef struct ct_compliant_contact {
  uint32_t a, b; /* rows */
  /* the contact to which the force belongs; borrowed from the mechanics */
  const ct_contact *contact;
  double approach; /* |normal velocity| that determines the damping, m/s */
  /* true: `approach` is from the contact's beginning, as recorded in the state; false: it is the
   * current velocity */
  bool stored;
  ct_elastic_pair pair;
  ct_compliant_force force;
} ct_compliant_contact;

typedef struct ct_body_sum {
  uint32_t row;
  /* sum over the body's contacts, N and N m; the torque is about the centre of mass */
  ct_vec3 force, torque;
} ct_body_sum;

typedef struct ct_compliant_answer {
  ct_compliant_contact *contacts; /* [count] in the order of the query */
  size_t count;
  ct_body_sum *bodies; /* [body_count] dynamic bodies with contacts, ascending rows */
  size_t body_count;
} ct_compliant_answer;

/* Evaluates the elastic law at all contacts of the mechanics, which must have one contact per pair
 * of colliders (CT_DETAIL_DEEPEST) and must outlive the result. Sums are in the order of contacts,
 * so they are reproducible. Free *out with ct_compliant_answer_free.
 * CT_NOT_FOUND: a collider's modulus or Poisson ratio is unknown. CT_CANCELLED, CT_OUT_OF_MEMORY.
 * On any error *out is empty.
 * O(contacts). */
ct_status ct_compliant_solve(const ct_scene *scene, const ct_mechanics *mechanics,
                             const ct_compliant_options *options, ct_compliant_answer *out);
/* Frees the arrays of the result. */
void ct_compliant_answer_free(ct_compliant_answer *answer);

CT_DECLARATIONS_END

#endif
