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
  double mass, inverse_mass; /* kg, 1/kg; both 0 unless dynamic */
  /* inertia tensor about the centre, world axes, kg m^2, 1/(kg m^2); zero unless dynamic */
  ct_mat3 inertia, inverse_inertia;
  ct_vec3 center;       /* centre of mass; without mass the origin of the body frame; m */
  ct_velocity velocity; /* velocity of the centre; zero if fixed */
  /* N, N m: loads other than contacts (gravity, applied loads), torque about the centre */
  ct_vec3 force, torque;
  /* without contacts, m/s^2, rad/s^2: from loads and gyroscopic torque, or prescribed */
  ct_vec3 linear_acceleration, angular_acceleration;
} ct_mass_body;

/* Local form of a body's surface at a contact, for the second time derivative of the gap. */
typedef enum ct_surface_form {
  CT_SURFACE_POINT, /* a vertex: any normal, radius 0; `line` and the rest are unused */
  CT_SURFACE_LINE,  /* straight along `line`, with radius `radius` across it (0: an edge) */
  CT_SURFACE_FACE,  /* a plane: the normal is fixed to the body; `line` and the rest are unused */
  CT_SURFACE_CURVED /* curved: reverse Weingarten map `radii` */
} ct_surface_form;

typedef struct ct_surface {
  ct_surface_form form;
  ct_vec3 line;  /* unit, world */
  double radius; /* m */
  /* world axes; symmetric; radii of curvature in the tangent plane, 0 along the normal; m */
  ct_mat3 radii;
} ct_surface;

/* A contact between two bodies of a set. World frame. */
typedef struct ct_contact {
  uint32_t a, b;                   /* indices into the set's bodies */
  uint32_t collider_a, collider_b; /* CT_NO_COLLIDER: given by the caller without a collider */
  ct_feature feature_a, feature_b; /* given contacts: CT_FEATURE_SMOOTH */
  uint32_t patch, number;          /* as in ct_contact_point */
  ct_vec3 position, normal;
  ct_vec3 point_a, point_b;
  double distance;    /* m */
  bool is_volumetric; /* a contact of contact/volume.h, without features; distance is the gap */
  uint32_t element_a, element_b; /* volumetric contacts: elements, or CT_NO_ELEMENT */
  double area;                   /* volumetric contacts: area, m^2 */
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
  ct_vec3 relative;   /* u, m/s */
  double normal;      /* n.u */
  ct_vec3 tangential; /* u - (n.u) n */
  double slip;        /* |tangential| */
  ct_velocity_class velocity_class;
  bool sliding; /* slip above the tolerance; else sticking */
} ct_contact_velocity;

/* Relative velocity of a contact, and its classes: n.u > tolerance separating, < -tolerance
 * colliding, else resting; slip > tolerance sliding. tolerance in m/s. Galilean invariant up to
 * round-off. Exchanging a and b (and the normal) gives the same numbers with u negated, bit for
 * bit. If the bodies are not in the set, all values are 0 and the contact is resting. O(1). */
ct_contact_velocity ct_contact_relative_velocity(const ct_contact_set *set,
                                                 const ct_contact *contact, double tolerance);

/* ---- the contact system --------------------------------------------------------------------- */

/* Unit tangents that form a right-handed frame (normal, t1, t2). t1 derives from the world axis
 * least aligned with the normal, lowest axis first. A pure function of the normal. */
void ct_contact_tangents(ct_vec3 normal, ct_vec3 *t1, ct_vec3 *t2);

/* Delassus block K, 1/kg: an impulse P at `cause` changes the relative velocity at `contact` by K
 * P; both may be the same contact. Zero if they share no dynamic body. K(i, j) is the transpose of
 * K(j, i), bit for bit. O(1). Mirtich 1996 (collision matrix). */
ct_mat3 ct_delassus_block(const ct_contact_set *set, const ct_contact *contact,
                          const ct_contact *cause);

/* along.K(contact, cause) impulse, 1/kg: response along one direction to a unit impulse along
 * another. Exchanging both contacts and directions gives the same bits, so matrices of these
 * entries are symmetric. With the normals it is A_ij below. O(1). */
double ct_delassus_along(const ct_contact_set *set, const ct_contact *contact, ct_vec3 along,
                         const ct_contact *cause, ct_vec3 impulse);

/* Right-hand side b_i of gap'' = sum over j of A_ij f_j + b_i, with A_ij = n_i.K(i, j) n_j; m/s^2.
 * b_i is n.(relative acceleration of the bodies' points without contact forces), plus the effect of
 * the turning normal, which depends on the surface forms. *tangential (may be NULL): the tangential
 * part of that acceleration.
 *
 * Exact for touching surfaces. At gap g the error is about g times the squared angular velocities.
 * Some coincident features have a gap that bends at once as the bodies rotate: an edge in a face,
 * collinear lines, a rim in a cap's plane, within 1e-6 rad. There a contact point counts as a
 * vertex. Exchanging a and b (and the normal) gives the same bits, with tangential negated. Always
 * finite; O(1). Support functions: Schneider 2014. */
double ct_contact_free_acceleration(const ct_contact_set *set, const ct_contact *contact,
                                    ct_vec3 *tangential);

/* ---- of a scene ----------------------------------------------------------------------------- */

/* An external load on a row's body: a force at the centre of mass or at `at`, and a torque; N, N m,
 * world. */
typedef struct ct_load {
  uint32_t row;
  ct_vec3 force, torque;
  bool has_at;
  ct_vec3 at; /* world, m */
} ct_load;

/* A contact given by the caller. */
typedef struct ct_given_contact {
  uint32_t a, b; /* rows, a != b */
  /* colliders that define the material; CT_NO_COLLIDER: the body's first, if any */
  uint32_t collider_a, collider_b;
  ct_vec3 position, normal; /* unit, from a to b */
  bool fixed_to_b; /* the normal rotates with b, and a touches with a point; else the reverse */
  bool has_material;
  ct_pair_material material;
} ct_given_contact;

typedef struct ct_row_velocity {
  uint32_t row;
  ct_velocity velocity;
} ct_row_velocity;

/* Volumetric contacts instead of contact points: one per overlapping pair of convex pieces, at the
 * contact's position, along its normal, which rotates with a. */
typedef struct ct_mechanics_volumes {
  ct_volume_options volume;
  const ct_query_sparsify *sparsify; /* NULL: keep all contacts */
} ct_mechanics_volumes;

typedef struct ct_mechanics_options {
  /* m, >= 0: contacts at most this far apart take part, and all that penetrate */
  double contact_tolerance;
  ct_detail detail;                    /* of the detected contacts; usually MANIFOLD */
  const ct_mechanics_volumes *volumes; /* NULL: detect contact points */
  bool only_given;                     /* use only `given`; detect no contacts */
  const ct_given_contact *given;
  size_t given_count;
  const ct_load *loads;
  size_t load_count;
  const ct_vec3 *gravity; /* NULL: the scene's */
  /* of all contacts except given ones with their own; NULL: the scene's */
  const ct_pair_material *material;
  const ct_override *overrides; /* what-if poses, as in ct_query_options */
  size_t override_count;
  /* [velocity_count] what-if velocities, sorted by row, each row once */
  const ct_row_velocity *velocities;
  size_t velocity_count;
  const uint8_t *where_a, *where_b; /* as in ct_query_options: restrict detection */
  const ct_row_pair *pairs;
  size_t pair_count;
  bool explicit_pairs;
  ct_broadphase broadphase; /* as in ct_query_options */
  uint64_t candidates_max;  /* candidate pairs of bodies, at most; 0: CT_PAIRS_MAX */
  size_t contacts_max;      /* 0: CT_CONTACTS_MAX */
  const ct_cancel *cancel;
} ct_mechanics_options;
/* Defaults: candidates_max CT_PAIRS_MAX, contacts_max CT_CONTACTS_MAX. */
ct_mechanics_options ct_mechanics_options_default(void);

/* An island: dynamic bodies linked by contacts, the immovable bodies that they touch, and these
 * contacts; or a single dynamic body without contacts. Bodies are in ascending order of rows,
 * contacts in the order of the query or as given. */
typedef struct ct_island {
  ct_contact_set set;
  const uint32_t *rows; /* [set.body_count] */
  /* [set.count] index of each contact among all contacts of the mechanics */
  const uint32_t *numbers;
} ct_island;

typedef struct ct_mechanics ct_mechanics;

/* Detects the contacts (or uses the given ones) and forms the islands, in the order of their first
 * dynamic row. Contacts between two immovable bodies are omitted. A body without contacts is an
 * island if `where_a` or `where_b` selects it or, with explicit pairs, if a pair names it. Dynamic
 * bodies without an invertible mass count as fixed here; callers should refuse them
 * (ct_scene_mass_body). Borrows scene and options only during the call. The caller owns *out.
 * CT_LIMIT: more than contacts_max contacts; a given contact without a normal or not between two
 * bodies; a load, velocity or override of a missing row. CT_PAIR_LIMIT, CT_CANCELLED,
 * CT_OUT_OF_MEMORY. */
ct_status ct_mechanics_prepare(const ct_scene *scene, const ct_mechanics_options *options,
                               ct_workspace *workspace, ct_mechanics **out);
/* Frees the mechanics and its islands; NULL is allowed. */
void ct_mechanics_destroy(ct_mechanics *mechanics);
size_t ct_mechanics_count(const ct_mechanics *mechanics); /* contacts of all islands */
size_t ct_mechanics_islands(const ct_mechanics *mechanics);
/* index < ct_mechanics_islands; borrowed from mechanics */
ct_island ct_mechanics_island(const ct_mechanics *mechanics, size_t index);

/* Mechanical properties of a row at a pose and velocity, loaded by gravity alone. The centre of a
 * kinematic body is its centre of mass if its mass is known. False: the body is dynamic without a
 * mass or with a singular inertia; *out is then a fixed body. */
bool ct_scene_mass_body(const ct_scene *scene, uint32_t row, const ct_pose *pose,
                        const ct_velocity *velocity, ct_vec3 gravity, ct_mass_body *out);

/* Default velocity tolerance, m/s: the speed gained by falling through the contact tolerance,
 * sqrt(2 |g| tolerance), at least CT_VELOCITY_TOLERANCE_MIN. The default contact tolerance of a
 * scene is ct_scene_default_epsilon, m. */
double ct_scene_velocity_tolerance(double contact_tolerance, ct_vec3 gravity);

CT_DECLARATIONS_END

#endif
