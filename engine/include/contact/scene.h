/* Scenes: bodies, sealed revisions with copy-on-write, collision filters, materials.
 *
 * A ct_scene is one sealed revision: immutable, reference-counted, read by any number of threads
 * without locks. A ct_draft is the next revision under construction, with one owner and one thread.
 * Rows are numbered in document order. A body keeps its row through a lineage of revisions, unless
 * ct_draft_seal compacts the rows of removed bodies (their order is preserved).
 * Columns are stored in reference-counted chunks that revisions share. A draft copies a chunk at
 * its first write to it. */
#ifndef CONTACT_SCENE_H
#define CONTACT_SCENE_H

#include <contact/base.h>
#include <contact/limits.h>
#include <contact/shape.h>

CT_DECLARATIONS_BEGIN

/* ---- materials ------------------------------------------------------------------------------- */

/* Materials of bodies, and contact properties of pairs of materials. */

/* Properties of a material. Properties that are not given are 0: no friction, no restitution, an
 * unknown elastic modulus. */
typedef struct ct_material {
  double static_friction;  /* >= dynamic_friction */
  double dynamic_friction; /* >= 0 */
  double restitution;      /* 0 .. 1 */
  double rolling_friction; /* >= 0 */
  double youngs_modulus;   /* Young's modulus, Pa, > 0; 0: unknown */
  double poisson_ratio;    /* 0 < nu < 1; 0: unknown */
} ct_material;

typedef struct ct_named_material {
  ct_text name;
  ct_material material;
} ct_named_material;

/* Name of the material of colliders that name none, if the scene has a material of this name. */
#define CT_MATERIAL_DEFAULT "default"

/* Contact properties of a pair of materials, which replace those combined from the two materials;
 * NAN: not given. */
typedef struct ct_material_pair {
  ct_text a, b; /* names of the two materials, in any order; may be equal */
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

/* Combines two materials: each of the three friction coefficients is sqrt(a b), restitution the
 * smaller one. Two equal materials keep their own coefficients exactly. Symmetric, bit for bit.
 * O(1). */
ct_pair_material ct_material_combine(const ct_material *a, const ct_material *b);

/* ---- scenes ---------------------------------------------------------------------------------- */

#define CT_NO_ROW UINT32_MAX
/* Largest length of an id or name, bytes. */
#define CT_ID_LENGTH_MAX 256

/* ---- bodies --------------------------------------------------------------------------------- */

typedef struct ct_collider {
  ct_text id; /* empty: none */
  ct_shape shape;
  ct_pose pose; /* in the body frame */
  /* text that the engine does not interpret: the caller's notation of the shape, returned
   * unchanged; empty: none */
  ct_text note;
  /* name of the material; empty: the scene's material "default", if there is one */
  ct_text material;
} ct_collider;

typedef enum ct_mass_source { CT_MASS_NONE, CT_MASS_MASS, CT_MASS_DENSITY } ct_mass_source;

/* Prescribed acceleration of a kinematic body's centre of mass, world frame; m/s^2, rad/s^2. */
typedef struct ct_acceleration {
  ct_vec3 linear, angular;
} ct_acceleration;

typedef struct ct_motion {
  ct_mass_source source;
  bool is_kinematic;
  bool has_center, has_inertia;
  double value;                        /* mass, kg, or density, kg/m^3, as `source` says */
  ct_vec3 center;                      /* centre of mass, body frame, m */
  ct_vec3 inertia_diagonal;            /* principal moments about center, kg m^2 */
  ct_quat inertia_orientation;         /* rotation from the principal axes to the body frame */
  const ct_acceleration *acceleration; /* prescribed acceleration of a kinematic body; NULL: none */
} ct_motion;

/* Definition of a body. Pose and velocity are scene columns instead, because they change often. */
typedef struct ct_body_options {
  ct_text id;
  const ct_collider *colliders; /* [collider_count] */
  size_t collider_count;
  const ct_motion *motion; /* NULL: static */
  const ct_text *groups;   /* [group_count] */
  size_t group_count;
  ct_text user; /* text that the engine does not interpret; empty: none */
} ct_body_options;
/* Defaults: all members 0 or empty. A body without an id is refused. */
ct_body_options ct_body_options_default(void);

/* A body: immutable, reference-counted. */
typedef struct ct_body ct_body;

/* Creates a body from copies of the options; hulls, meshes and elements are retained instead. The
 * caller owns the reference in *out. Memory: one block of 32 bytes, plus 64 per collider (120 with
 * its own pose), 104 for a motion (152 with an acceleration), and the texts.
 * CT_LIMIT: an empty id; an id or material name longer than CT_ID_LENGTH_MAX; a collider without
 * size, hull, mesh or elements; 2 GiB in all. CT_OUT_OF_MEMORY. */
ct_status ct_body_create(const ct_body_options *options, const ct_body **out);
/* Adds a reference, and returns the body; ct_body_release drops one, NULL is allowed. Thread-safe.
 */
const ct_body *ct_body_retain(const ct_body *body);
void ct_body_release(const ct_body *body);
/* Members of the body, borrowed from it. An index is less than the corresponding count. O(1). */
ct_text ct_body_id(const ct_body *body);
size_t ct_body_collider_count(const ct_body *body);
ct_collider ct_body_collider(const ct_body *body, size_t index); /* borrowed from the body */
/* name of the collider's material; empty: it names none */
ct_text ct_body_material(const ct_body *body, size_t index);
/* true if some collider is a surface mesh (ct_shape_is_surface) */
bool ct_body_has_surface(const ct_body *body);
const ct_motion *ct_body_motion(const ct_body *body); /* NULL: static */
size_t ct_body_group_count(const ct_body *body);
ct_text ct_body_group(const ct_body *body, size_t index);
ct_text ct_body_user(const ct_body *body);

/* Computes the mass properties in the body frame. Mass and inertia given in the motion have
 * priority; missing values are computed from the colliders with uniform density (1000 kg/m^3 if
 * neither mass nor density is given). If the centre is given and the inertia is not, the colliders'
 * inertia about that centre is used. *overlap_ignored: set to true if there are several colliders,
 * whose overlapping volume would count twice. False: the body has no mass (a half-space, or no
 * collider with volume). */
bool ct_body_mass(const ct_body *body, ct_mass_properties *out, bool *overlap_ignored);

/* ---- filters -------------------------------------------------------------------------------- */

typedef struct ct_group_rule {
  ct_text group;
  /* [count] names of groups with whose bodies the group's bodies do not collide; symmetric */
  const ct_text *not_collide_with;
  size_t count;
} ct_group_rule;

typedef struct ct_pair_rule {
  ct_text a, b;   /* body ids */
  bool collide;   /* true: the bodies collide, false: they do not; takes precedence over groups */
  ct_text reason; /* may be empty */
} ct_pair_rule;

typedef struct ct_filters {
  const ct_group_rule *groups;
  size_t group_count;
  const ct_pair_rule *pairs; /* [pair_count] at most one rule per pair */
  size_t pair_count;
} ct_filters;

/* Decision of the filters about two bodies, and the reason. */
typedef struct ct_filter_verdict {
  bool collide;
  const ct_pair_rule *pair_rule; /* the pair rule that decides, or NULL */
  ct_text group_a, group_b;      /* the first two groups whose rule excludes the pair, or empty */
} ct_filter_verdict;

/* ---- revisions ------------------------------------------------------------------------------ */

typedef struct ct_scene ct_scene;
typedef struct ct_draft ct_draft;

typedef struct ct_velocity {
  ct_vec3 linear, angular; /* world frame, of the centre of mass; m/s, rad/s */
} ct_velocity;

/* Creates an empty scene with the given revision number, owned by the caller; NULL: out of
 * memory. */
const ct_scene *ct_scene_create(uint64_t revision);
/* Adds a reference, and returns the scene; ct_scene_release drops one, NULL is allowed.
 * Thread-safe. */
const ct_scene *ct_scene_retain(const ct_scene *scene);
void ct_scene_release(const ct_scene *scene);
uint64_t ct_scene_revision(const ct_scene *scene);
/* Returns the number of rows, removed ones included. ct_scene_body of a removed row is NULL. */
uint32_t ct_scene_rows(const ct_scene *scene);
uint32_t ct_scene_count(const ct_scene *scene); /* bodies */
/* row of the body; CT_NO_ROW: no such body. O(1) */
uint32_t ct_scene_find(const ct_scene *scene, ct_text id);
const ct_body *ct_scene_body(const ct_scene *scene, uint32_t row); /* borrowed */
ct_pose ct_scene_pose(const ct_scene *scene, uint32_t row);
ct_velocity ct_scene_velocity(const ct_scene *scene, uint32_t row); /* zero unless set */
/* Serial number of the row's body: assigned when the body is inserted, unchanged when it is
 * replaced, never reused in this lineage of revisions. */
uint64_t ct_scene_serial(const ct_scene *scene, uint32_t row);
/* Number of contacts begun so far in all contact states of this lineage, which is also the greatest
 * pair id. */
uint64_t ct_scene_contacts_begun(const ct_scene *scene);
/* Collision filters; borrowed from the scene. */
const ct_filters *ct_scene_filters(const ct_scene *scene);
/* text of the scene's settings that the engine does not interpret */
ct_text ct_scene_user(const ct_scene *scene);
/* Bytes that describe the source of the lineage's first revision, not interpreted by the engine;
 * later revisions share them. Empty: not set. */
ct_text ct_scene_origin(const ct_scene *scene);
/* Geometric epsilon, m: lengths below it count as equal. Only sparsification and volumetric
 * contacts of method SOLFEC use it. 0: not set. */
double ct_scene_geometric_epsilon(const ct_scene *scene);
/* Time of the scene, s: what its motions have advanced so far; 0 unless set. */
double ct_scene_time(const ct_scene *scene);
/* Geometric epsilon that applies if none is set, m: CT_EPSILON_PART times the smallest bounding
 * radius of a collider. Half-spaces do not count; without other colliders it is 1e-6 m.
 * O(colliders). */
double ct_scene_default_epsilon(const ct_scene *scene);
/* Gravity of the scene, m/s^2; (0, 0, CT_GRAVITY_Z) if it was not set. */
ct_vec3 ct_scene_gravity(const ct_scene *scene);
bool ct_scene_has_gravity(const ct_scene *scene); /* true if gravity was set explicitly */
const ct_materials *
ct_scene_materials(const ct_scene *scene); /* borrowed from the scene; never NULL */
/* Returns the named material; if the name is empty or unknown, the material "default", or zeros if
 * the scene has none. O(log materials). */
ct_material ct_scene_material(const ct_scene *scene, ct_text name);
/* Returns the properties of two materials in contact: the values given for the pair, else those of
 * ct_material_combine. If only one of the two friction coefficients (static, dynamic) is given, the
 * other is adjusted so that dynamic <= static. Names as in ct_scene_material. Symmetric, bit for
 * bit. O(log materials + log pairs). */
ct_pair_material ct_scene_pair_material(const ct_scene *scene, ct_text a, ct_text b);
/* Functions of attachments, all three required. Attachments are named values that the scene does
 * not interpret and that later revisions inherit; used for contact states. */
typedef struct ct_attachment_type {
  void (*retain)(const void *value);
  void (*release)(const void *value);
  size_t (*bytes)(const void *value); /* memory of the value, bytes */
} ct_attachment_type;
typedef struct ct_attachment {
  ct_text name;
  const void *value;
} ct_attachment;
/* Number of attachments. */
size_t ct_scene_attachment_count(const ct_scene *scene);
/* Returns an attachment by its index in ascending order of names; borrowed from the scene. */
const ct_attachment *ct_scene_attachment(const ct_scene *scene, size_t index);
/* Returns the value attached under a name; NULL: no such name. O(log attachments) */
const void *ct_scene_attached(const ct_scene *scene, ct_text name);
/* Decides whether the filters let the bodies of two rows collide, and gives the reason. O(pair
 * rules + groups of a x groups of b). */
ct_filter_verdict ct_scene_filter_verdict(const ct_scene *scene, uint32_t row_a, uint32_t row_b);
/* Memory that only this revision owns, bytes, without hulls. O(chunks + bodies in unshared
 * chunks). */
size_t ct_scene_bytes(const ct_scene *scene);
/* Estimated memory of the revision if it shared nothing with others, bytes: bodies, with the hulls,
 * meshes and elements that are not `lent`, columns, query tree, attachments. O(attachments). */
uint64_t ct_scene_weight(const ct_scene *scene);

/* Begins a draft that equals base and shares its chunks, with base's revision number + 1. The
 * caller owns the draft; NULL: out of memory. */
ct_draft *ct_draft_begin(const ct_scene *base);
/* As ct_draft_begin, but with base's own revision number: for a result that replaces base before
 * anyone else has used base. */
ct_draft *ct_draft_amend(const ct_scene *base);
/* Frees the draft; base is unchanged. NULL is allowed. */
void ct_draft_discard(ct_draft *draft);
/* Seals the draft into a revision that the caller owns. NULL: out of memory; the draft is then
 * still usable. */
const ct_scene *ct_draft_seal(ct_draft *draft);
/* Inserts a body with its pose and velocity; the draft takes its own reference to the body. *row:
 * set to the new row.
 * CT_EXISTS: the id is in use. CT_LIMIT: more than CT_BODIES_MAX bodies. CT_OUT_OF_MEMORY. */
ct_status ct_draft_insert(ct_draft *draft, const ct_body *body, const ct_pose *pose,
                          const ct_velocity *velocity, uint32_t *row);
/* Replaces the body of a row by one with the same id; the draft takes its own reference.
 * CT_OUT_OF_MEMORY. */
ct_status ct_draft_replace(ct_draft *draft, uint32_t row, const ct_body *body, const ct_pose *pose,
                           const ct_velocity *velocity);
/* Removes the body of a row, and the pair rules that contain its id.
 * CT_OUT_OF_MEMORY. */
ct_status ct_draft_remove(ct_draft *draft, uint32_t row);
/* Sets the pose of a row.
 * CT_OUT_OF_MEMORY: the chunk that contains the row could not be copied. */
ct_status ct_draft_set_pose(ct_draft *draft, uint32_t row, const ct_pose *pose);
/* Sets the velocity of a row; errors as ct_draft_set_pose. */
ct_status ct_draft_set_velocity(ct_draft *draft, uint32_t row, const ct_velocity *velocity);
/* Replaces the filters by copies. The caller checks that the ids exist (ct_draft_find).
 * CT_LIMIT: more than CT_GROUPS_MAX groups with rules. CT_OUT_OF_MEMORY. */
ct_status ct_draft_set_filters(ct_draft *draft, const ct_filters *filters);
/* Replaces the text of the scene's settings (ct_scene_user) by a copy.
 * CT_OUT_OF_MEMORY. */
ct_status ct_draft_set_user(ct_draft *draft, ct_text user);
/* replaces ct_scene_origin by a copy */
ct_status ct_draft_set_origin(ct_draft *draft, ct_text origin);
void ct_draft_set_geometric_epsilon(ct_draft *draft, double epsilon); /* m, > 0; 0: not set */
void ct_draft_set_gravity(ct_draft *draft, const ct_vec3 *gravity);   /* NULL: not set */
void ct_draft_set_time(ct_draft *draft, double time);                 /* s, finite */
/* Replaces the materials by copies. The caller checks the ranges of values, and that names and
 * pairs are known and unique.
 * CT_LIMIT: more than CT_MATERIALS_MAX or CT_MATERIAL_PAIRS_MAX. CT_OUT_OF_MEMORY. */
ct_status ct_draft_set_materials(ct_draft *draft, const ct_materials *materials);
/* as ct_scene_materials; valid until the next change */
const ct_materials *ct_draft_materials(const ct_draft *draft);
/* True if the draft has a material of this name. O(log materials). */
bool ct_draft_has_material(const ct_draft *draft, ct_text name);
uint32_t ct_draft_rows(const ct_draft *draft); /* as ct_scene_rows */
/* Attaches a value under the name, and retains it; a value attached earlier under the name is
 * released. value NULL: only removes the earlier value.
 * CT_LIMIT: more than CT_ATTACHMENTS_MAX, or a type with a missing function. CT_OUT_OF_MEMORY. */
ct_status ct_draft_attach(ct_draft *draft, ct_text name, const void *value,
                          const ct_attachment_type *type);
/* Adds `count` to ct_scene_contacts_begun. */
void ct_draft_count_contacts(ct_draft *draft, uint64_t count);
/* These functions do for the draft what the ct_scene functions of the same names do. */
uint32_t ct_draft_find(const ct_draft *draft, ct_text id);
uint32_t ct_draft_count(const ct_draft *draft);
const ct_body *ct_draft_body(const ct_draft *draft, uint32_t row);
ct_pose ct_draft_pose(const ct_draft *draft, uint32_t row);
ct_velocity ct_draft_velocity(const ct_draft *draft, uint32_t row);
/* Number of bytes copied so far because older revisions share the chunks. */
size_t ct_draft_copied_bytes(const ct_draft *draft);

CT_DECLARATIONS_END

#endif
