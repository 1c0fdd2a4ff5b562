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
  double youngs_modulus, poisson_ratio; /* Pa; 0 < nu < 1 */
  double radius; /* substitute radius of curvature at a contact, m: ct_elastic_radius */
  bool flat;
} ct_elastic_solid;

typedef struct ct_elastic_options {
  /* m/s: below it friction is regularised, and approaches have restitution 0; 0: 0.01 */
  double small_velocity;
  double small_angular_velocity; /* rad/s; 0: 0.01 */
  double stiffness_factor;       /* k_red; 0: 1 */
  double damping_max;            /* s/m; 0: 2000 */
  bool pull; /* keep negative normal forces at the end of fast contacts; else they are 0 */
} ct_elastic_options;
/* Defaults: as in the members' comments. */
ct_elastic_options ct_elastic_options_default(void);

/* The options with zeros replaced by the defaults. */
ct_elastic_options ct_elastic_options_effective(const ct_elastic_options *options);

/* Constants of the law while a contact lasts. */
typedef struct ct_elastic_pair {
  double c_res;        /* Pa */
  double mu_geo;       /* m: common radius of both solids */
  double c_geo, n_geo; /* f = c_res c_geo depth^n_geo (1 + damping depth') */
  double restitution;  /* effective: 0 for slow approaches */
  double damping;      /* d_res, s/m */
  double dynamic_friction, rolling_friction;
} ct_elastic_pair;

typedef struct ct_compliant_force {
  double depth, depth_rate;           /* -distance, -normal velocity */
  double slip, angular_speed;         /* |u_t|, |w_b - w_a| */
  double normal, tangential, rolling; /* magnitudes: N, N, N m */
  ct_vec3 friction;                   /* tangential force on b, N */
  ct_vec3 force, torque; /* on b at the contact's position, N, N m; the opposite acts on a */
} ct_compliant_force;

/* Substitute contact radius of a shape, m, and its flatness. Ball, capsule: d/2; box, ellipsoid:
 * least edge or axis / 2; cylinder: min(d, h)/2; cone: (d + d_top)/4; convex and mesh: shortest
 * edge / 2; half-space: flat, INFINITY. */
double ct_elastic_radius(const ct_shape *shape, bool *flat);

/* Elastic solid of a row's collider: its material's moduli and its shape's radius. False: the
 * material's modulus or Poisson ratio is unknown. out may be NULL. */
bool ct_scene_elastic_solid(const ct_scene *scene, uint32_t row, uint32_t collider,
                            ct_elastic_solid *out);

/* Constants of a pair of solids. approach: |normal velocity| when the contact began, m/s. A solid
 * of modulus 0 deforms without force. So does a solid of radius 0, unless it is flat and the other
 * is not. O(1). */
ct_elastic_pair ct_elastic_pair_of(const ct_elastic_solid *a, const ct_elastic_solid *b,
                                   const ct_pair_material *material, double approach,
                                   const ct_elastic_options *options);
/* Regularised speed: v if v >= s, else (v^2/s)(1 - v/(3 s)) + s/3; twice differentiable, never 0.
 */
double ct_regularised(double v, double s);
/* Contact force of the law at the contact's distance and the set's velocities. No force at a
 * distance
 * >= 0. contact->a and b are bodies of the set. O(1). */
ct_compliant_force ct_compliant_law(const ct_elastic_pair *pair, const ct_contact_set *set,
                                    const ct_contact *contact, const ct_elastic_options *options);

/* ---- of a scene ----------------------------------------------------------------------------- */

typedef struct ct_compliant_options {
  ct_elastic_options elastic;
  /* replace the materials of all colliders; modulus 0: not given */
  double youngs_modulus, poisson_ratio;
  /* its records give the approach velocities at which contacts began; NULL: current ones */
  const ct_contact_state *state;
  const ct_cancel *cancel;
} ct_compliant_options;
/* Defaults: elastic has its own default. */
ct_compliant_options ct_compliant_options_default(void);

typedef struct ct_compliant_contact {
  uint32_t a, b;             /* rows */
  const ct_contact *contact; /* borrowed from the mechanics */
  double approach;           /* |normal velocity| that determines the damping, m/s */
  bool stored; /* true: from the contact's beginning in the state; false: current velocity */
  ct_elastic_pair pair;
  ct_compliant_force force;
} ct_compliant_contact;

typedef struct ct_body_sum {
  uint32_t row;
  ct_vec3 force, torque; /* sum over the body's contacts, N, N m; torque about the centre of mass */
} ct_body_sum;

typedef struct ct_compliant_answer {
  ct_compliant_contact *contacts; /* [count] in the order of the query */
  size_t count;
  ct_body_sum *bodies; /* [body_count] dynamic bodies with contacts, ascending rows */
  size_t body_count;
} ct_compliant_answer;

/* Evaluates the law at all contacts of the mechanics, which needs one contact per pair of colliders
 * (CT_DETAIL_DEEPEST) and must outlive the result. Sums follow the order of contacts. Free *out
 * with ct_compliant_answer_free.
 * CT_NOT_FOUND: a collider's modulus or Poisson ratio is unknown. CT_CANCELLED, CT_OUT_OF_MEMORY;
 * on errors *out is empty.
 * O(contacts). */
ct_status ct_compliant_solve(const ct_scene *scene, const ct_mechanics *mechanics,
                             const ct_compliant_options *options, ct_compliant_answer *out);
/* Frees the arrays of the result. */
void ct_compliant_answer_free(ct_compliant_answer *answer);

CT_DECLARATIONS_END

#endif
