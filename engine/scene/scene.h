/* A revision's insides, for the files of this room. */
#ifndef SCENE_SCENE_H
#define SCENE_SCENE_H

#include "scene/attachment.h"
#include "scene/column.h"
#include "scene/filters.h"
#include "scene/id_index.h"
#include "scene/materials.h"
#include "scene/scene_aabb_tree.h"

#include <stdatomic.h>

/* Opaque text of the settings, shared by revisions. */
typedef struct ct_user_text {
  _Atomic uint32_t refs;
  size_t length;
  char bytes[];
} ct_user_text;

/* Held by all revisions in which a row has one body's number: a row that has had a body never gets
 * another one's. Whose rows are numbered again has another. */
typedef struct ct_numbering {
  _Atomic uint32_t refs;
} ct_numbering;

/* Rows whose box may differ from an older revision's; a row may stand here twice. */
typedef struct ct_row_list {
  uint32_t *rows;
  uint32_t count, capacity;
} ct_row_list;

/* Written by a draft, then sealed; after that only the reference count and the last block change.
 */
struct ct_scene {
  _Atomic uint32_t refs;
  uint32_t rows;  /* columns may have room for more */
  uint32_t count; /* bodies */
  uint64_t revision;
  ct_hash_key key;
  ct_numbering *numbering;
  ct_column bodies;     /* const ct_body *; NULL: removed */
  ct_column poses;      /* ct_pose */
  ct_column velocities; /* ct_velocity; no rows until a body has one */
  ct_column serials; /* uint64_t; no rows while each row has its own number for a serial: until rows
                        are compacted away */
  uint64_t next_serial;
  uint64_t contacts_begun;
  uint64_t bodies_weight; /* sum of ct_body_weight, kept as bodies come and go */
  ct_index index;
  ct_filter_set *filters;   /* NULL: none */
  ct_user_text *user;       /* NULL: empty */
  ct_user_text *origin;     /* NULL: empty */
  double geometric_epsilon; /* 0: not set */
  ct_vec3 gravity;          /* m/s^2, where it is set */
  bool has_gravity;
  ct_material_set *materials; /* NULL: none */
  ct_attached_list *attached; /* NULL: nothing */

  /* Made when first asked for, by whichever thread comes first; then it stays. */
  _Atomic(ct_derived *) derived;
  _Atomic(ct_row_filter *) row_filter;
  /* An older revision's derived data to start from, and what changed since. The flag guards `prior`
   * alone, for a few instructions.
   */
  atomic_flag prior_lock;
  ct_derived *prior;
  ct_row_list changes; /* meaningful while prior was not NULL at sealing */
};

static inline const ct_body *ct_scene_body_at(const ct_scene *scene, uint32_t row) {
  return *(const ct_body *const *)ct_column_at(&scene->bodies, row);
}
static inline const ct_pose *ct_scene_pose_at(const ct_scene *scene, uint32_t row) {
  return (const ct_pose *)ct_column_at(&scene->poses, row);
}
/* The scene for its own late data; what is sealed stays as it is. */
static inline ct_scene *ct_scene_mutable(const ct_scene *scene) {
  return (ct_scene *)(uintptr_t)scene;
}

/* A scene that shares everything of base (late data not), unsealed; base NULL: an empty one. NULL:
 * out of memory. */
ct_scene *ct_scene_branch(const ct_scene *base);

void ct_user_text_release(ct_user_text *text); /* NULL: nothing */

/* The revision's derived data, made now if need be; borrowed from the scene. */
ct_status ct_scene_derive(const ct_scene *scene, const ct_cancel *cancel, const ct_derived **out);
/* What the revision would start from, with a reference for the caller; NULL: nothing, or a query
 * has taken it. */
ct_derived *ct_scene_retain_prior(ct_scene *scene);
/* The row filter, likewise; *out is NULL when the scene has no filters. */
ct_status ct_scene_row_filter(const ct_scene *scene, const ct_cancel *cancel,
                              const ct_row_filter **out);

#endif
