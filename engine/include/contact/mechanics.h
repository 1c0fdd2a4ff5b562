/* Bodies in contact: masses, velocities, loads, contact points, and the islands that contacts form.
 *
 * World frame, SI units. A contact's normal n points from a to b. The relative velocity u is the
 * velocity of b's point minus a's; n.u < 0 approaches. An impulse or force P acts on b at the
 * contact's position, -P on a. */
#ifndef CONTACT_MECHANICS_H
#define CONTACT_MECHANICS_H

#include <contact/arena.h>
#include <contact/base.h>
#include <contact/query.h>

CT_DECLARATIONS_BEGIN

typedef enum ct_mobility {
  CT_FIXED,     /* no velocity, no acceleration */
  CT_KINEMATIC, /* velocities and accelerations are prescribed */
  CT_DYNAMIC
} ct_mobility;

/* A rigid body with its mass at `center`. */
typedef struct ct_mass_body {
  ct_mobility mobility;
  double mass, inverse_mass; /* mass, kg, and its inverse, 1/kg; both 0 unless the body is
                                dynamic */
  /* inertia tensor about the centre, world axes, kg m^2, 1/(kg m^2); zero unless dynamic */
  ct_mat3 inertia, inverse_inertia;
  /* centre of mass, world, m; the origin of the body frame if the body has no mass */
  ct_vec3 center;
  ct_velocity velocity; /* velocity of the centre of mass, and angular velocity; zero if the body is
                           fixed */
  /* sum of the loads other than contact forces (gravity, applied loads): force, N, and torque about
   * the centre of mass, N m */
  ct_vec3 force, torque;
  /* accelerations without contact forces, m/s^2 and rad/s^2: from loads and gyroscopic torque;
   * prescribed if the body is kinematic */
  ct_vec3 linear_acceleration, angular_acceleration;
} ct_mass_body;

/* Local form of a body's surface at a contact, from which the second time derivative of the gap is
 * computed. */
typedef enum ct_surface_form {
  /* a vertex: any normal, radius of curvature 0; the other members of ct_surface are unused */
  CT_SURFACE_POINT,
  /* straight along `line`; across it, radius of curvature `radius` (0: an edge) */
  CT_SURFACE_LINE,
  /* a plane, whose normal is fixed to the body; the other members of ct_surface are unused */
  CT_SURFACE_FACE,
  CT_SURFACE_CURVED /* curved in both directions; `radii` is the inverse of the curvature (reverse
                     * Weingarten map) */
} ct_surface_form;

typedef struct ct_surface {
  ct_surface_form form;
  ct_vec3 line;  /* CT_SURFACE_LINE: direction of the line, unit, world */
  double radius; /* CT_SURFACE_LINE: radius of curvature across the line, m */
  /* CT_SURFACE_CURVED: symmetric tensor of the radii of curvature in the tangent plane, world axes,
   * 0 along the normal, m */
  ct_mat3 radii;
} ct_surface;

/* A contact between two bodies of a set. World frame. */
typedef struct ct_contact {
  uint32_t a, b; /* indices into the set's bodies */
  /* colliders of the bodies; CT_NO_COLLIDER: given by the caller without a collider */
  uint32_t collider_a, collider_b;
  /* features in contact; CT_FEATURE_SMOOTH for contacts given by the caller */
  ct_feature feature_a, feature_b;
  uint32_t patch, number; /* numbers that name the contact point, as in ct_contact_point */
  ct_vec3 position, normal;
  ct_vec3 point_a, point_b;
  double distance; /* gap along the normal, m; < 0: penetration */
  /* true for a contact of contact/volume.h: it has no features, and `distance` is its gap */
  bool is_volumetric;
  uint32_t element_a, element_b; /* volumetric contacts of meshes of elements: the element of a and
                                    the element of b; otherwise CT_NO_ELEMENT */
  double area;                   /* volumetric contacts: area of the contact, m^2 */
  ct_surface surface_a, surface_b;
  ct_pair_material material;
} ct_contact;

#define CT_NO_COLLIDER UINT32_MAX

/* Bodies and their contacts; borrowed. */
typedef struct ct_contact_set {
  const ct_mass_body *bodies; /* [body_count] */
  size_t body_count;
  const ct_contact *contacts; /* [count] */
  size_t count;
} ct_contact_set;

/* ---- velocities ----------------------------------------------------------------------------- */

typedef enum ct_velocity_class {
  CT_CLASS_SEPARATING,
  CT_CLASS_RESTING,
  CT_CLASS_COLLIDING
} ct_velocity_class;

typedef struct ct_contact_velocity {
  ct_vec3 relative;   /* u, velocity of b's point relative to a's, m/s */
  double normal;      /* n.u */
  ct_vec3 tangential; /* u - (n.u) n */
  double slip;        /* |tangential| */
  ct_velocity_class velocity_class;
  bool sliding; /* true if slip exceeds the tolerance; false: the contact sticks */
} ct_contact_velocity;

/* Returns the relative velocity u of a contact, and its class: SEPARATING if n.u > tolerance,
 * COLLIDING if n.u < -tolerance, else RESTING; sliding if slip > tolerance. tolerance: m/s.
 * Galilean invariant up to round-off. Exchanging a and b (and the normal) gives the same numbers
 * with u negated, bit for bit. If a or b is not an index into the set's bodies, all values are 0
 * and the contact is RESTING. O(1). */
ct_contact_velocity ct_contact_relative_velocity(const ct_contact_set *set,
                                                 const ct_contact *contact, double tolerance);

/* ---- the contact system --------------------------------------------------------------------- */

/* Computes unit tangents t1, t2 that form a right-handed frame (normal, t1, t2). t1 is derived from
 * the world axis least aligned with the normal, the lowest such axis. The tangents depend on the
 * normal alone. */
void ct_contact_tangents(ct_vec3 normal, ct_vec3 *t1, ct_vec3 *t2);

/* Delassus block K of two contacts, 1/kg: an impulse P at the contact `cause` changes the relative
 * velocity at `contact` by K P; both may be the same contact. K is zero if they share no dynamic
 * body. K(i, j) is the transpose of K(j, i), bit for bit. O(1). Mirtich 1996 (collision matrix). */
ct_mat3 ct_delassus_block(const ct_contact_set *set, const ct_contact *contact,
                          const ct_contact *cause);

/* Returns along . K(contact, cause) impulse, 1/kg: the change of relative velocity at `contact` in
 * the direction `along`, caused by an impulse in the direction `impulse` at `cause`. Exchanging
 * both contacts and directions gives the same bits, so matrices of these entries are symmetric.
 * With the contacts' normals it is A_ij of ct_contact_free_acceleration. O(1). */
double ct_delassus_along(const ct_contact_set *set, const ct_contact *contact, ct_vec3 along,
                         const ct_contact *cause, ct_vec3 impulse);

/* Right-hand side b_i of gap'' = sum over j of A_ij f_j + b_i, with A_ij = n_i.K(i, j) n_j; m/s^2.
 * b_i is n.(relative acceleration of the bodies' points without contact forces), plus the effect of
 * the turning normal, which depends on the surface forms. *tangential (may be NULL): the tangential
 * part of that acceleration.
 *
 * Exact for touching surfaces; at a gap g the error is approximately g times the squared angular
 * velocities. For some coincident features the gap has a kink as soon as the bodies rotate: an edge
 * in a face, collinear lines, a rim in a cap's plane, within 1e-6 rad. Their contact points count
 * as vertices. Exchanging a and b (and the normal) gives the same bits, with the tangential part
 * negated. Always finite; O(1). Support functions: Schneider 2014. */
double ct_contact_free_acceleration(const ct_contact_set *set, const ct_contact *contact,
                                    ct_vec3 *tangential);

/* ---- of a scene ----------------------------------------------------------------------------- */

/* An external load on the body in a row of the scene, world frame: a force, N, at `at` or at the
 * centre of mass, and a torque, N m. */
typedef struct ct_load {
  uint32_t row;
  ct_vec3 force, torque;
  /* true: the force acts at `at`; false: at the centre of mass */
  bool has_at;
  ct_vec3 at; /* world, m */
} ct_load;

/* A contact given by the caller. */
typedef struct ct_given_contact {
  uint32_t a, b; /* rows of the two bodies in the scene, a != b */
  /* colliders whose materials define the friction; CT_NO_COLLIDER: the body's first one, if any */
  uint32_t collider_a, collider_b;
  ct_vec3 position, normal; /* position of the contact, m; unit normal from a to b */
  /* true: the normal rotates with b, and a touches with a point; false: the normal rotates with a,
   * and b touches with a point */
  bool fixed_to_b;
  /* true: `material` applies; false: the colliders' materials */
  bool has_material;
  ct_pair_material material;
} ct_given_contact;

typedef struct ct_row_velocity {
  uint32_t row;
  ct_velocity velocity;
} ct_row_velocity;

/* Selects volumetric contacts instead of contact points. Each overlapping pair of convex pieces has
 * one contact, at the position and along the normal of its volumetric contact; the normal rotates
 * with a. */
typedef struct ct_mechanics_volumes {
  ct_volume_options volume;
  const ct_query_sparsify *sparsify; /* removal of contacts that are close to each other
                                        (sparsification); NULL: keep all contacts */
} ct_mechanics_volumes;

typedef struct ct_mechanics_options {
  /* largest gap of a contact that takes part, m, >= 0; all contacts that penetrate take part too */
  double contact_tolerance;
  /* how many points the detected contacts have; usually CT_DETAIL_MANIFOLD */
  ct_detail detail;
  const ct_mechanics_volumes *volumes; /* options of volumetric contacts; NULL: contact points are
                                          detected instead */
  bool only_given;                     /* use only `given`; detect no contacts */
  const ct_given_contact *given;
  size_t given_count;
  const ct_load *loads;
  size_t load_count;
  const ct_vec3 *gravity; /* gravity, m/s^2; NULL: that of the scene */
  /* material of all contacts, except given ones with their own; NULL: from the scene's materials */
  const ct_pair_material *material;
  const ct_override *overrides; /* poses that replace those of the scene, as in ct_query_options */
  size_t override_count;
  /* [velocity_count] velocities that replace those of the scene, sorted by row, each row once */
  const ct_row_velocity *velocities;
  size_t velocity_count;
  /* restrict the detection to some bodies, as in ct_query_options */
  const uint8_t *where_a, *where_b;
  const ct_row_pair *pairs;
  size_t pair_count;
  bool explicit_pairs;
  ct_broadphase broadphase; /* as in ct_query_options */
  uint64_t candidates_max;  /* largest number of candidate pairs of bodies; 0: CT_PAIRS_MAX */
  size_t contacts_max;      /* largest number of contacts; 0: CT_CONTACTS_MAX */
  const ct_cancel *cancel;
} ct_mechanics_options;
/* Defaults: candidates_max CT_PAIRS_MAX, contacts_max CT_CONTACTS_MAX, detail CT_DETAIL_DEEPEST,
 * all other members 0. */
ct_mechanics_options ct_mechanics_options_default(void);

/* An island: dynamic bodies that contacts connect, the immovable bodies that they touch, and these
 * contacts; or a single dynamic body without contacts. Bodies are in ascending order of rows,
 * contacts in the order of detection or as given. */
typedef struct ct_island {
  ct_contact_set set;
  const uint32_t *rows; /* [set.body_count] row of each body in the scene */
  /* [set.count] index of each contact among all contacts of the ct_mechanics */
  const uint32_t *numbers;
} ct_island;

typedef struct ct_mechanics ct_mechanics;

/* Detects the contacts (or uses the given ones) and forms the islands, in the order of their first
 * dynamic row. Contacts between two immovable bodies are omitted. A body without contacts is an
 * island of its own if `where_a` or `where_b` selects it or, with explicit pairs, if a pair
 * contains it. Dynamic bodies without an invertible mass count as fixed; callers should refuse them
 * before (ct_scene_mass_body). Borrows scene and options only during the call. The caller owns
 * *out.
 * CT_LIMIT: more than contacts_max contacts; a given contact without a normal or not between two
 * bodies; a load, velocity or override of a missing row. CT_PAIR_LIMIT, CT_CANCELLED,
 * CT_OUT_OF_MEMORY. */
ct_status ct_mechanics_prepare(const ct_scene *scene, const ct_mechanics_options *options,
                               ct_workspace *workspace, ct_mechanics **out);
/* Frees the mechanics and its islands; NULL is allowed. */
void ct_mechanics_destroy(ct_mechanics *mechanics);
size_t ct_mechanics_count(const ct_mechanics *mechanics); /* number of contacts of all islands */
size_t ct_mechanics_islands(const ct_mechanics *mechanics);
/* Returns an island, index < ct_mechanics_islands; its arrays are borrowed from the mechanics. */
ct_island ct_mechanics_island(const ct_mechanics *mechanics, size_t index);

/* Writes the mechanical properties of the body in a row of the scene, at the given pose and
 * velocity, with gravity as its only load. `center` of a kinematic body is its centre of mass if
 * its mass is known, else the origin of its frame. False: the body is dynamic, but has no mass or a
 * singular inertia; *out is then a fixed body. */
bool ct_scene_mass_body(const ct_scene *scene, uint32_t row, const ct_pose *pose,
                        const ct_velocity *velocity, ct_vec3 gravity, ct_mass_body *out);

/* Default velocity tolerance, m/s: the speed after a fall through the contact tolerance, sqrt(2 |g|
 * contact_tolerance), but at least CT_VELOCITY_TOLERANCE_MIN. The default contact tolerance of a
 * scene is ct_scene_default_epsilon, m. */
double ct_scene_velocity_tolerance(double contact_tolerance, ct_vec3 gravity);

CT_DECLARATIONS_END

#endif
