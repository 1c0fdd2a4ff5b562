/* Scenes: bodies, sealed revisions with copy-on-write, filters.
 *
 * A ct_scene is one sealed revision: immutable, reference-counted, read by any number of threads without locks. A ct_draft is the
 * next revision in the making: one owner, one thread. Rows are numbered in document order and keep their number for the life of
 * their body in a lineage of revisions, except that ct_draft_seal may compact rows of removed bodies away (order is kept).
 * Columns live in reference-counted chunks, shared by revisions; a draft copies a chunk when it first writes to it.
 */
#ifndef CONTACT_SCENE_H
#define CONTACT_SCENE_H

#include <contact/limits.h>
#include <contact/linkage.h>
#include <contact/material.h>
#include <contact/shape.h>

CT_DECLARATIONS_BEGIN

#define CT_NO_ROW UINT32_MAX
/* Bytes of an id or a name. */
#define CT_ID_LENGTH_MAX 256

/* ---- bodies ---------------------------------------------------------------------------------------------------------- */

typedef struct ct_collider {
  ct_text id; /* empty: none */
  ct_shape shape;
  ct_pose pose;     /* in the body frame */
  ct_text note;     /* opaque to the engine: how the caller spelled the shape, returned as given; empty: none */
  ct_text material; /* name; empty: none, which is a material named "default" where the scene has one */
} ct_collider;

typedef enum ct_mass_source { CT_MASS_NONE, CT_MASS_MASS, CT_MASS_DENSITY } ct_mass_source;

/* Prescribed, of a kinematic body; world frame, of the centre of mass; m/s^2, rad/s^2. */
typedef struct ct_acceleration {
  ct_vec3 linear, angular;
} ct_acceleration;

typedef struct ct_motion {
  ct_mass_source source;
  bool is_kinematic;
  bool has_center, has_inertia;
  double value;                        /* kg or kg/m^3, by source */
  ct_vec3 center;                      /* of mass, body frame */
  ct_vec3 inertia_diagonal;            /* principal moments about center */
  ct_quat inertia_orientation;         /* of the principal axes in the body frame */
  const ct_acceleration *acceleration; /* NULL: none */
} ct_motion;

/* What a body is made of. Pose and velocities are not here: they change often and live in columns. */
typedef struct ct_body_options {
  ct_text id;
  const ct_collider *colliders; /* [collider_count] */
  size_t collider_count;
  const ct_motion *motion; /* NULL: static */
  const ct_text *groups;   /* [group_count] */
  size_t group_count;
  ct_text user; /* opaque; empty: none */
} ct_body_options;
/* Defaults: zeros: without an id a body is refused. */
ct_body_options ct_body_options_default(void);

/* Immutable, reference-counted. */
typedef struct ct_body ct_body;

/* Copies everything it is given (hulls are retained). Memory: one block of 32 bytes, 64 per collider (120 with a pose of its own),
 * 104 for a motion (152 with an acceleration), and the texts. CT_LIMIT: an id that is empty, an id or the name of a material that
 * is too long, a collider whose shape has no size, hull, mesh or elements, or 2 GiB in all. */
ct_status ct_body_create(const ct_body_options *options, const ct_body **out);
const ct_body *ct_body_retain(const ct_body *body);
void ct_body_release(const ct_body *body);
ct_text ct_body_id(const ct_body *body);
size_t ct_body_collider_count(const ct_body *body);
ct_collider ct_body_collider(const ct_body *body, size_t index); /* borrowed from the body */
ct_text ct_body_material(const ct_body *body, size_t index);     /* of a collider; empty: none; likewise */
bool ct_body_has_surface(const ct_body *body); /* some collider is a mesh read as a surface (ct_shape_is_surface) */
const ct_motion *ct_body_motion(const ct_body *body);            /* NULL: static */
size_t ct_body_group_count(const ct_body *body);
ct_text ct_body_group(const ct_body *body, size_t index);
ct_text ct_body_user(const ct_body *body);

/* Mass properties in the body frame. Mass and inertia as the motion says; what it leaves out is computed from the colliders with
 * uniform density (1000 kg/m^3 without mass and density): the inertia about the given centre is that of the colliders seen from
 * there. *overlap_ignored: several colliders, whose overlap counts twice. False: no mass can be had (a plane, or no collider with
 * volume). */
bool ct_body_mass(const ct_body *body, ct_mass_properties *out, bool *overlap_ignored);

/* ---- filters --------------------------------------------------------------------------------------------------------- */

typedef struct ct_group_rule {
  ct_text group;
  const ct_text *not_collide_with; /* [count] names of groups; symmetric */
  size_t count;
} ct_group_rule;

typedef struct ct_pair_rule {
  ct_text a, b;   /* body ids */
  bool collide;   /* true overrides the groups' rules */
  ct_text reason; /* may be empty */
} ct_pair_rule;

typedef struct ct_filters {
  const ct_group_rule *groups;
  size_t group_count;
  const ct_pair_rule *pairs; /* at most one rule for a pair */
  size_t pair_count;
} ct_filters;

typedef struct ct_filter_verdict {
  bool collide;
  const ct_pair_rule *pair_rule; /* the pair rule that decided, or NULL */
  ct_text group_a, group_b;      /* the first pair of groups that excludes, or empty */
} ct_filter_verdict;

/* ---- revisions ------------------------------------------------------------------------------------------------------- */

typedef struct ct_scene ct_scene;
typedef struct ct_draft ct_draft;

typedef struct ct_velocity {
  ct_vec3 linear, angular; /* world frame, of the centre of mass; m/s, rad/s */
} ct_velocity;

/* An empty scene at the given revision number. NULL: out of memory. */
const ct_scene *ct_scene_create(uint64_t revision);
const ct_scene *ct_scene_retain(const ct_scene *scene);
void ct_scene_release(const ct_scene *scene);
uint64_t ct_scene_revision(const ct_scene *scene);
/* Rows in use, removed ones included: row < ct_scene_rows. A removed row has body NULL. */
uint32_t ct_scene_rows(const ct_scene *scene);
uint32_t ct_scene_count(const ct_scene *scene);                    /* bodies */
uint32_t ct_scene_find(const ct_scene *scene, ct_text id);         /* CT_NO_ROW: absent. O(1) */
const ct_body *ct_scene_body(const ct_scene *scene, uint32_t row); /* borrowed */
ct_pose ct_scene_pose(const ct_scene *scene, uint32_t row);
ct_velocity ct_scene_velocity(const ct_scene *scene, uint32_t row); /* zero unless set */
/* Number of the body of the row: given when it is inserted, kept when it is replaced, never given again in this lineage. */
uint64_t ct_scene_serial(const ct_scene *scene, uint32_t row);
/* Contacts that have begun so far in all contact states of this lineage: the greatest of their ids. */
uint64_t ct_scene_contacts_begun(const ct_scene *scene);
const ct_filters *ct_scene_filters(const ct_scene *scene);
ct_text ct_scene_user(const ct_scene *scene); /* opaque text of the scene's settings */
/* Opaque bytes that tell what the first revision of the scene was made of; shared by all that follow. Empty: not set. */
ct_text ct_scene_origin(const ct_scene *scene);
/* What the scene takes for one length, m: it acts in sparsification and in the volumetric contacts of method SOLFEC alone. 0: not
 * set. */
double ct_scene_geometric_epsilon(const ct_scene *scene);
/* What is in force where it is not set: CT_EPSILON_PART of the smallest collider's radius (of its bounding ball; half-spaces do not
 * count), 1e-6 m without any. O(colliders). */
double ct_scene_default_epsilon(const ct_scene *scene);
/* m/s^2; CT_GRAVITY_Z down where it is not set. */
ct_vec3 ct_scene_gravity(const ct_scene *scene);
bool ct_scene_has_gravity(const ct_scene *scene);              /* is it set? */
const ct_materials *ct_scene_materials(const ct_scene *scene); /* borrowed from the scene; never NULL */
/* The material of the name; of an empty or unknown name that named "default", else zeros. O(log materials). */
ct_material ct_scene_material(const ct_scene *scene, ct_text name);
/* What acts between two of them, names as above: the pair's own values where they are given, else ct_material_combine. Where only
 * one kind of friction is the pair's own, the other is moved so that dynamic <= static. Symmetric, bit for bit. O(log materials +
 * log pairs). */
ct_pair_material ct_scene_pair_material(const ct_scene *scene, ct_text a, ct_text b);
/* Values that go with the scene from revision to revision under names of their own, opaque to it: contact states. */
typedef struct ct_attachment_type {
  void (*retain)(const void *value);
  void (*release)(const void *value);
  size_t (*bytes)(const void *value); /* memory that it takes */
} ct_attachment_type;
typedef struct ct_attachment {
  ct_text name;
  const void *value;
} ct_attachment;
size_t ct_scene_attachment_count(const ct_scene *scene);
/* In ascending order of names, borrowed from the scene. */
const ct_attachment *ct_scene_attachment(const ct_scene *scene, size_t index);
const void *ct_scene_attached(const ct_scene *scene, ct_text name); /* NULL: none of the name. O(log) */
/* Why a pair of bodies is, or is not, looked at. O(pair rules + groups of a x groups of b). */
ct_filter_verdict ct_scene_filter_verdict(const ct_scene *scene, uint32_t row_a, uint32_t row_b);
/* Bytes that this revision holds and shares with no other; hulls are left out. O(chunks + bodies in unshared chunks). */
size_t ct_scene_bytes(const ct_scene *scene);
/* About what the revision takes, were all its own that it shares with others: bodies with hulls, meshes and elements that are not
 * lent, columns, a query's tree, attachments. O(attachments) */
uint64_t ct_scene_weight(const ct_scene *scene);

/* A draft that starts as a copy of base (chunks shared) with revision + 1. NULL: out of memory. */
ct_draft *ct_draft_begin(const ct_scene *base);
/* The same with base's own revision number: for what was found by asking base, before anybody else has seen it. */
ct_draft *ct_draft_amend(const ct_scene *base);
/* Drops the draft; nothing has changed. */
void ct_draft_discard(ct_draft *draft);
/* Ends the draft; the caller owns the new revision. NULL: out of memory (the draft is still there). */
const ct_scene *ct_draft_seal(ct_draft *draft);
/* Each takes its own reference to body. Insert: CT_EXISTS if the id is in use; CT_LIMIT beyond CT_BODIES_MAX. */
ct_status ct_draft_insert(ct_draft *draft, const ct_body *body, const ct_pose *pose, const ct_velocity *velocity, uint32_t *row);
/* body must have the id of the row's. */
ct_status ct_draft_replace(ct_draft *draft, uint32_t row, const ct_body *body, const ct_pose *pose, const ct_velocity *velocity);
/* Also drops the pair rules that name the body. */
ct_status ct_draft_remove(ct_draft *draft, uint32_t row);
ct_status ct_draft_set_pose(ct_draft *draft, uint32_t row, const ct_pose *pose);
ct_status ct_draft_set_velocity(ct_draft *draft, uint32_t row, const ct_velocity *velocity);
/* Copies the filters; ids are the caller's to check (ct_draft_find). CT_LIMIT: more than CT_GROUPS_MAX groups with rules. */
ct_status ct_draft_set_filters(ct_draft *draft, const ct_filters *filters);
ct_status ct_draft_set_user(ct_draft *draft, ct_text user);
ct_status ct_draft_set_origin(ct_draft *draft, ct_text origin); /* copied, as the user text is */
void ct_draft_set_geometric_epsilon(ct_draft *draft, double epsilon); /* m, > 0; 0: not set */
void ct_draft_set_gravity(ct_draft *draft, const ct_vec3 *gravity);   /* NULL: not set */
/* Copies them; values inside their ranges, names that are known and given once, pairs given once: the caller's to check. CT_LIMIT:
 * more than CT_MATERIALS_MAX, or CT_MATERIAL_PAIRS_MAX. */
ct_status ct_draft_set_materials(ct_draft *draft, const ct_materials *materials);
const ct_materials *ct_draft_materials(const ct_draft *draft); /* as ct_scene_materials; until the next change */
bool ct_draft_has_material(const ct_draft *draft, ct_text name);
uint32_t ct_draft_rows(const ct_draft *draft); /* as ct_scene_rows */
/* Attaches the value under the name, with a reference of its own, in place of what has the name; NULL takes that away. CT_LIMIT:
 * CT_ATTACHMENTS_MAX, or a type that lacks one of its functions. */
ct_status ct_draft_attach(ct_draft *draft, ct_text name, const void *value, const ct_attachment_type *type);
/* So many contacts more have begun. */
void ct_draft_count_contacts(ct_draft *draft, uint64_t count);
uint32_t ct_draft_find(const ct_draft *draft, ct_text id);
uint32_t ct_draft_count(const ct_draft *draft);
const ct_body *ct_draft_body(const ct_draft *draft, uint32_t row);
ct_pose ct_draft_pose(const ct_draft *draft, uint32_t row);
ct_velocity ct_draft_velocity(const ct_draft *draft, uint32_t row);
/* Bytes copied so far because chunks were shared with older revisions. */
size_t ct_draft_copied_bytes(const ct_draft *draft);

CT_DECLARATIONS_END

#endif
