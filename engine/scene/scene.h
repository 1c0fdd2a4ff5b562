/* Internals of a revision, private to engine/scene. */
#ifndef SCENE_SCENE_H
#define SCENE_SCENE_H

#include "scene/attachment.h"
#include "scene/column.h"
#include "scene/filters.h"
#include "scene/id_index.h"
#include "scene/materials.h"
#include "scene/scene_aabb_tree.h"

#include <stdatomic.h>

/* Opaque text of the caller, stored with the settings; revisions share it. */
typedef struct ct_user_text {
  _Atomic uint32_t refs;
  size_t length;
  char bytes[];
} ct_user_text;

/* Identity of a numbering of rows, shared by all revisions that have it: in these a row never gets
 * another body after its body was removed. Compaction renumbers the rows and creates a new
 * numbering. */
typedef struct ct_numbering {
  _Atomic uint32_t refs;
} ct_numbering;

/* Rows whose boxes may differ from those of an older revision; a row may occur several times. */
typedef struct ct_row_list {
  uint32_t *rows;
  uint32_t count, capacity;
} ct_row_list;

/* A revision. A draft writes it until it is sealed; afterwards only the reference count and the
 * members from `derived` on change. */
struct ct_scene {
  _Atomic uint32_t refs;
  uint32_t rows;  /* number of rows, those of removed bodies included; at most the capacity of the
                     columns */
  uint32_t count; /* number of bodies */
  uint64_t revision;
  ct_hash_key key;
  ct_numbering *numbering;
  ct_column bodies;     /* element type const ct_body *; NULL: the body was removed */
  ct_column poses;      /* ct_pose */
  ct_column velocities; /* element type ct_velocity; the column is empty until a body has a
                           velocity */
  ct_column serials;    /* element type uint64_t, serial numbers of the bodies; the column is empty
                           while each serial number equals the row, that is, before rows are first
                           renumbered */
  uint64_t next_serial;
  uint64_t contacts_begun;
  uint64_t bodies_weight; /* sum of ct_body_weight, updated as bodies are added and removed */
  ct_index index;
  ct_filter_set *filters;   /* NULL: none */
  ct_user_text *user;       /* NULL: empty */
  ct_user_text *origin;     /* NULL: empty */
  double geometric_epsilon; /* 0: not set */
  double time;              /* s */
  ct_vec3 gravity;          /* m/s^2, if has_gravity */
  bool has_gravity;
  ct_material_set *materials; /* NULL: none */
  ct_attached_list *attached; /* NULL: nothing */

  /* Each is built by the first thread that needs it, and not changed afterwards. */
  _Atomic(ct_derived *) derived;
  _Atomic(ct_row_filter *) row_filter;
  /* Derived data (AABB tree) of an older revision, from which those of this revision can be
   * updated, and the rows that changed since. The lock guards `prior` only, for a few
   * instructions. */
  atomic_flag prior_lock;
  ct_derived *prior;
  ct_row_list changes; /* rows changed since the revision of `prior`; valid if `prior` was set when
                          the draft was sealed */
};

static inline const ct_body *ct_scene_body_at(const ct_scene *scene, uint32_t row) {
  return *(const ct_body *const *)ct_column_at(&scene->bodies, row);
}
static inline const ct_pose *ct_scene_pose_at(const ct_scene *scene, uint32_t row) {
  return (const ct_pose *)ct_column_at(&scene->poses, row);
}
/* Removes const, to access the derived data; the sealed part must not be changed. */
static inline ct_scene *ct_scene_mutable(const ct_scene *scene) {
  return (ct_scene *)(uintptr_t)scene;
}

/* Creates an unsealed scene that shares everything of base except its derived data; if base is
 * NULL, an empty scene. Returns NULL if out of memory. */
ct_scene *ct_scene_branch(const ct_scene *base);

void ct_user_text_release(ct_user_text *text); /* NULL: no operation */

/* Returns the revision's derived data, which are built if needed and owned by the scene. */
ct_status ct_scene_derive(const ct_scene *scene, const ct_cancel *cancel, const ct_derived **out);
/* Returns the older derived data with a reference for the caller. NULL: there are none, or a query
 * has moved them out. */
ct_derived *ct_scene_retain_prior(ct_scene *scene);
/* Returns the row filter, which is built if needed and owned by the scene; *out is NULL if the
 * scene has no filters. */
ct_status ct_scene_row_filter(const ct_scene *scene, const ct_cancel *cancel,
                              const ct_row_filter **out);

#endif
