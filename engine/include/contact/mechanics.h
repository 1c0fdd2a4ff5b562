/* Bodies in contact as mechanics sees them: masses, velocities, loads, contact points; which islands they make.
 *
 * World frame, SI units. A contact's normal n points from a to b; relative velocity u = velocity of b's point - velocity of a's;
 * normal velocity n.u < 0 approaches. An impulse or force P acts on b at the contact's position, -P on a.
 */
#ifndef CONTACT_MECHANICS_H
#define CONTACT_MECHANICS_H

#include <contact/arena.h>
#include <contact/linkage.h>
#include <contact/query.h>

CT_DECLARATIONS_BEGIN

typedef enum ct_mobility {
  CT_FIXED,     /* no velocity, no acceleration */
  CT_KINEMATIC, /* velocities and accelerations are prescribed */
  CT_DYNAMIC
} ct_mobility;

/* A body with its mass at `center`. */
typedef struct ct_mass_body {
  ct_mobility mobility;
  double mass, inverse_mass;        /* kg, 1/kg; both 0 unless dynamic */
  ct_mat3 inertia, inverse_inertia; /* about the centre, world axes; zero unless dynamic */
  ct_vec3 center;                   /* of mass; of bodies without a mass the origin of their frame; m */
  ct_velocity velocity;             /* of the centre; zero if fixed */
  ct_vec3 force, torque;            /* loads other than contacts, torque about the centre: gravity and what is applied; N, N m */
  ct_vec3 linear_acceleration, angular_acceleration; /* without contacts: of the loads and the gyroscopic torque, or prescribed */
} ct_mass_body;

/* How a body's surface is bent at a contact, for the second time derivative of the gap. */
typedef enum ct_surface_form {
  CT_SURFACE_POINT, /* a vertex: any normal, no radius; `line` and the rest do not count */
  CT_SURFACE_LINE,  /* straight along `line`, of radius `radius` across it (0: an edge) */
  CT_SURFACE_FACE,  /* a plane: its normal is fixed to the body; likewise */
  CT_SURFACE_CURVED /* reverse Weingarten map `radii` */
} ct_surface_form;

typedef struct ct_surface {
  ct_surface_form form;
  ct_vec3 line;  /* unit, world */
  double radius; /* m */
  ct_mat3 radii; /* world axes; symmetric, radii of curvature on the tangent plane, 0 along the normal; m */
} ct_surface;

/* A contact point of two bodies of a set. */
typedef struct ct_contact {
  uint32_t a, b;                   /* indices of the set's bodies */
  uint32_t collider_a, collider_b; /* CT_NO_COLLIDER: given by the caller, who named none */
  ct_feature feature_a, feature_b; /* smooth ones of given contacts */
  uint32_t patch, number;          /* as in ct_contact_point */
  ct_vec3 position, normal;
  ct_vec3 point_a, point_b;
  double distance; /* m */
  bool is_volumetric;            /* a contact of contact/volume.h, without features; its distance is the gap */
  uint32_t element_a, element_b; /* of those: elements, or CT_NO_ELEMENT */
  double area;                   /* of those, m^2 */
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

/* ---- velocities -------------------------------------------------------------------------------------------------------- */

typedef enum ct_velocity_class { CT_CLASS_SEPARATING, CT_CLASS_RESTING, CT_CLASS_COLLIDING } ct_velocity_class;

typedef struct ct_contact_velocity {
  ct_vec3 relative;   /* u, m/s */
  double normal;      /* n.u */
  ct_vec3 tangential; /* u - (n.u) n */
  double slip;        /* |tangential| */
  ct_velocity_class velocity_class;
  bool sliding; /* slip above the tolerance; else sticking */
} ct_contact_velocity;

/* tolerance: m/s, of both classes: normal > it separating, < -it colliding, else resting. Galilean invariant but for round-off;
 * exchanging a and b (and the normal) gives the same numbers, u negated, bit for bit. Of a touch
 * whose bodies are not in the set all is 0, and resting. */
ct_contact_velocity ct_contact_relative_velocity(const ct_contact_set *set, const ct_contact *contact, double tolerance);

/* ---- the contact system ------------------------------------------------------------------------------------------------ */

/* Two unit tangents with the normal a right-handed frame (normal, t1, t2): t1 of the world axis least along the normal, lowest axis
 * first; the same for the same normal, always. */
void ct_contact_tangents(ct_vec3 normal, ct_vec3 *t1, ct_vec3 *t2);

/* K: change of the relative velocity at `touch` by an impulse at `cause` (which may be the same): u changes by K P. 1/kg. Zero
 * where they share no dynamic body. K(i, j) is the transpose of K(j, i), bit for bit. Theory of rigid bodies: seed 004, slides
 * 30-37. */
ct_mat3 ct_delassus_block(const ct_contact_set *set, const ct_contact *contact, const ct_contact *cause);

/* along.K(touch, cause) impulse: what a unit impulse along one direction changes along another. The same bits with both contacts
 * and both directions exchanged, so that matrices of these are symmetric; with normals it is A_ij below. */
double ct_delassus_along(const ct_contact_set *set, const ct_contact *contact, ct_vec3 along, const ct_contact *cause,
                         ct_vec3 impulse);

/* b_i of gap'' = sum over j of A_ij f_j + b_i, A_ij = n_i.K(i, j) n_j: n.(relative acceleration of the bodies' points without
 * contact forces), and what the turning normal adds by the surfaces' forms; m/s^2. *tangential (may be NULL): that relative
 * acceleration without its normal part. Exact for surfaces that touch; apart by g it is off by about g times the squared angular
 * velocities. Features that lie on each other, an edge in a face, lines along each other, a rim in a cap's plane, all within 1e-6
 * rad, have a gap that bends at once where the bodies turn apart: there a point stands for itself. Exchanging a and b (and the
 * normal) gives the same bits, tangential negated. Finite, O(1). Support functions: Schneider 2014; the forms:
 * mechanics_gap_acceleration.c. */
double ct_contact_free_acceleration(const ct_contact_set *set, const ct_contact *contact, ct_vec3 *tangential);

/* ---- of a scene -------------------------------------------------------------------------------------------------------- */

/* A force on a row's body: force at the centre of mass, or at `at`; and a torque. */
typedef struct ct_load {
  uint32_t row;
  ct_vec3 force, torque;
  bool has_at;
  ct_vec3 at; /* world, m */
} ct_load;

/* A contact given by the caller. */
typedef struct ct_given_contact {
  uint32_t a, b;                   /* rows, a != b */
  uint32_t collider_a, collider_b; /* whose material counts; CT_NO_COLLIDER: the first one's, if any */
  ct_vec3 position, normal;        /* unit, from a to b */
  bool fixed_to_b;                 /* the normal turns with b, a is a point on it; else with a */
  bool has_material;
  ct_pair_material material;
} ct_given_contact;

typedef struct ct_row_velocity {
  uint32_t row;
  ct_velocity velocity;
} ct_row_velocity;

/* Volumetric contacts in the place of contact points: one of each pair of convex pieces that overlap, at the contact's position
 * along its normal, which turns with a. */
typedef struct ct_mechanics_volumes {
  ct_volume_options volume;
  const ct_query_sparsify *sparsify; /* NULL: no contact is left out */
} ct_mechanics_volumes;

typedef struct ct_mechanics_options {
  double contact_tolerance; /* contacts at most this far apart, and all that penetrate, take part; m, >= 0 */
  ct_detail detail;         /* of the contacts found; MANIFOLD */
  const ct_mechanics_volumes *volumes; /* NULL: contact points are looked for */
  bool only_given;          /* `given` are the contacts, and none is looked for */
  const ct_given_contact *given;
  size_t given_count;
  const ct_load *loads;
  size_t load_count;
  const ct_vec3 *gravity;           /* NULL: the scene's */
  const ct_pair_material *material; /* of all contacts but those given with their own; NULL: the scene's */
  const ct_override *overrides;     /* poses, what-if: as in ct_query_options */
  size_t override_count;
  const ct_row_velocity *velocities; /* [velocity_count] likewise, sorted by row, each row once */
  size_t velocity_count;
  const uint8_t *where_a, *where_b; /* as in ct_query_options: which contacts are looked for */
  const ct_row_pair *pairs;
  size_t pair_count;
  bool explicit_pairs;
  ct_broadphase broadphase; /* as in ct_query_options */
  uint64_t candidates_max; /* pairs of bodies looked at for contacts; 0: CT_PAIRS_MAX */
  size_t contacts_max;     /* 0: CT_CONTACTS_MAX */
  const ct_cancel *cancel;
} ct_mechanics_options;
/* Defaults: candidates_max CT_PAIRS_MAX, contacts_max CT_CONTACTS_MAX. */
ct_mechanics_options ct_mechanics_options_default(void);

/* An island: dynamic bodies that contacts link, the immovable ones they touch, and the contacts; or one dynamic body that touches
 * nothing. Bodies in ascending order of rows; contacts in that of the query, or as given. */
typedef struct ct_island {
  ct_contact_set set;
  const uint32_t *rows;    /* [set.body_count] */
  const uint32_t *numbers; /* [set.count] place of each contact among all that take part */
} ct_island;

typedef struct ct_mechanics ct_mechanics;

/* Finds the contacts (or takes those given) and the islands they make; islands in the order of their first dynamic row. Contacts of
 * two bodies that nothing can move are left out. A dynamic body whose mass cannot be had, or is singular, is the caller's to
 * refuse: `ct_scene_mass_body` tells; here it stands as a fixed one. A body that touches nothing is an island where `where_a` or
 * `where_b` selects it, or, with explicit pairs, where a pair names it. Borrows scene and options for the call alone.
 * CT_PAIR_LIMIT, CT_CANCELLED, CT_OUT_OF_MEMORY, CT_LIMIT: more than contacts_max contacts; a given
 * contact without a normal or not of two bodies; a load, velocity or override of a row that is not there. */
ct_status ct_mechanics_prepare(const ct_scene *scene, const ct_mechanics_options *options, ct_workspace *workspace,
                               ct_mechanics **out);
void ct_mechanics_destroy(ct_mechanics *mechanics);
size_t ct_mechanics_count(const ct_mechanics *mechanics); /* contacts that take part */
size_t ct_mechanics_islands(const ct_mechanics *mechanics);
ct_island ct_mechanics_island(const ct_mechanics *mechanics, size_t index); /* borrowed from mechanics */

/* The row as mechanics sees it, at a pose and with a velocity, loaded by gravity alone. Where the mass of a kinematic body can be
 * had, its centre is that of mass. False: dynamic, and no mass with an inertia that can be inverted; *out is a fixed body then. */
bool ct_scene_mass_body(const ct_scene *scene, uint32_t row, const ct_pose *pose, const ct_velocity *velocity, ct_vec3 gravity,
                        ct_mass_body *out);

/* Where the caller says nothing, a scene's contacts are looked for within ct_scene_default_epsilon, m; and velocities are called
 * zero, m/s, below that gained falling so far, sqrt(2 |g| tolerance), and at least CT_VELOCITY_TOLERANCE_MIN. */
double ct_scene_velocity_tolerance(double contact_tolerance, ct_vec3 gravity);

CT_DECLARATIONS_END

#endif
