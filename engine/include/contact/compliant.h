/* Elastic response of a contact: Hertz' law with the damping of Flores, regularised friction, rolling resistance (Modia3D).
 *
 * Neumayr, Otter 2017, 2019; Flores, Machado, Silva, Martins 2011.
 */
#ifndef CONTACT_COMPLIANT_H
#define CONTACT_COMPLIANT_H

#include <contact/contact_state.h>
#include <contact/linkage.h>
#include <contact/mechanics.h>

CT_DECLARATIONS_BEGIN

/* One solid of a contact. */
typedef struct ct_elastic_solid {
  double youngs_modulus, poisson_ratio; /* Pa; 0 < nu < 1 */
  double radius;                        /* that stands for its curvature at a contact, m: ct_elastic_radius */
  bool flat;
} ct_elastic_solid;

typedef struct ct_elastic_options {
  double small_velocity;         /* m/s: below it friction is regularised, and an approach has restitution 0; 0: 0.01 */
  double small_angular_velocity; /* rad/s; 0: 0.01 */
  double stiffness_factor;       /* k_red; 0: 1 */
  double damping_max;            /* s/m; 0: 2000 */
  bool pull;                     /* normal forces below 0, at the end of fast contacts, are kept; else they are 0 */
} ct_elastic_options;
/* Defaults: those of the members' comments. */
ct_elastic_options ct_elastic_options_default(void);

/* The same with the numbers in place of what is 0. */
ct_elastic_options ct_elastic_options_effective(const ct_elastic_options *options);

/* What of the law does not change while a contact lasts. */
typedef struct ct_elastic_pair {
  double c_res;        /* Pa */
  double mu_geo;       /* m: radius that stands for both */
  double c_geo, n_geo; /* f = c_res c_geo depth^n_geo (1 + damping depth') */
  double restitution;  /* effective: 0 of a slow approach */
  double damping;      /* d_res, s/m */
  double dynamic_friction, rolling_friction;
} ct_elastic_pair;

typedef struct ct_compliant_force {
  double depth, depth_rate;           /* -distance, -normal velocity */
  double slip, angular_speed;         /* |u_t|, |w_b - w_a| */
  double normal, tangential, rolling; /* N, N, N m: sizes */
  ct_vec3 friction;                   /* the tangential one, on b */
  ct_vec3 force, torque;              /* on b at the contact's position; the opposite on a */
} ct_compliant_force;

/* r_contact and flatness of a collider's shape (ball d/2; box, ellipsoid least edge or axis / 2; cylinder min(d, h)/2; cone
 * (d + d_top)/4; capsule d/2; convex and mesh: shortest edge / 2; half-space: flat, INFINITY). */
double ct_elastic_radius(const ct_shape *shape, bool *flat);

/* The solid of a collider of a row: its material's moduli and its shape's radius. False: the material's modulus or ratio is not
 * known. out may be NULL. */
bool ct_scene_elastic_solid(const ct_scene *scene, uint32_t row, uint32_t collider, ct_elastic_solid *out);

/* approach: |normal velocity| when the contact began, m/s. A solid whose modulus is 0 yields without
 * a force, and so does one of radius 0, unless it is flat and the other is not. */
ct_elastic_pair ct_elastic_pair_of(const ct_elastic_solid *a, const ct_elastic_solid *b, const ct_pair_material *material,
                                   double approach, const ct_elastic_options *options);
/* v where v >= s, else (v^2/s)(1 - v/(3 s)) + s/3: twice differentiable, never 0. */
double ct_regularised(double v, double s);
ct_compliant_force ct_compliant_law(const ct_elastic_pair *pair, const ct_contact_set *set, const ct_contact *contact,
                                    const ct_elastic_options *options);

/* ---- of a scene -------------------------------------------------------------------------------------------------------- */

typedef struct ct_compliant_options {
  ct_elastic_options elastic;
  double youngs_modulus, poisson_ratio; /* of all colliders, in place of what they are made of; modulus 0: none are given */
  const ct_contact_state *state;        /* whose records say how fast contacts began; NULL: as they are now */
  const ct_cancel *cancel;
} ct_compliant_options;
/* Defaults: elastic as its own default. */
ct_compliant_options ct_compliant_options_default(void);

typedef struct ct_compliant_contact {
  uint32_t a, b;         /* rows */
  const ct_contact *contact; /* of the mechanics */
  double approach;       /* |normal velocity| that the damping is by, m/s */
  bool stored;           /* it is that of the contact's beginning, by the state; else of now */
  ct_elastic_pair pair;
  ct_compliant_force force;
} ct_compliant_contact;

typedef struct ct_body_sum {
  uint32_t row;
  ct_vec3 force, torque; /* of all its contacts, torque about the centre of mass */
} ct_body_sum;

typedef struct ct_compliant_answer {
  ct_compliant_contact *contacts; /* [count] in the order of the query that found them */
  size_t count;
  ct_body_sum *bodies; /* [body_count] dynamic bodies that have a contact, ascending in rows */
  size_t body_count;
} ct_compliant_answer;

/* The law at all contacts of the mechanics, which has one for each pair of colliders (CT_DETAIL_DEEPEST) and outlives the answer.
 * Sums are made in the order of contacts. CT_NOT_FOUND: a collider's modulus or ratio is not known. CT_CANCELLED,
 * CT_OUT_OF_MEMORY; *out is empty on any of them. */
ct_status ct_compliant_solve(const ct_scene *scene, const ct_mechanics *mechanics, const ct_compliant_options *options,
                             ct_compliant_answer *out);
void ct_compliant_answer_free(ct_compliant_answer *answer);

CT_DECLARATIONS_END

#endif
