/* Colliders that name a posted shape: {"shape": "<id>", "scale": 2, "convexHull": true}. */
#ifndef API_SHAPES_SHAPE_REFERENCE_H
#define API_SHAPES_SHAPE_REFERENCE_H

#include "shapes/shape_table.h"
#include "json/fields.h"

/* Members for a collider's list of members, in this order. */
#define API_REFERENCE_MEMBERS                                                                      \
  {.name = "shape"}, {.name = "scale"}, { .name = "convexHull" }
#define API_REFERENCE_MEMBER_COUNT 3

#define API_SCALE_MIN 1e-6
#define API_SCALE_MAX 1e6

/* Most scaled shapes and hulls that a call caches. */
#define API_SCALED_MAX 32

typedef struct api_scaled {
  const api_shape *shape; /* the posted shape that was scaled or replaced by its hull */
  double scale;
  bool hull;     /* true: the shape was replaced by its convex hull */
  ct_shape copy; /* a reference, owned */
} api_scaled;

/* Shapes to which a call may refer. Colliders of a call that refer to a shape at the same scale
 * share one copy. */
typedef struct api_shape_scope {
  const api_shape_table *table; /* the posted shapes, as an owned reference; NULL: there are none */
  api_scaled scaled[API_SCALED_MAX];
  size_t scaled_count; /* number of scaled shapes and hulls made so far; the latest API_SCALED_MAX
                          of them are cached */
} api_shape_scope;

void api_shape_scope_free(api_shape_scope *scope);
/* Replaces the table; the scope retains the new one. */
static inline void api_shape_scope_set(api_shape_scope *scope, const api_shape_table *table) {
  api_shapes_retain(table);
  if (scope->table) api_shape_scope_free(scope);
  scope->table = table;
}

/* Reads the members shape (present), scale and convexHull. out->shape is a reference, owned;
 * out->note has the spelling. Faults: UNKNOWN_ID, OUT_OF_RANGE for a scale or a resulting size,
 * DEGENERATE_HULL. Warns of a mesh that is a surface. */
bool api_read_reference(api_reader *reader, const api_field members[API_REFERENCE_MEMBER_COUNT],
                        ct_collider *out);

/* Returns the id of the posted shape that a note names; empty: none. */
ct_text api_shape_named(ct_text note);

/* Scenes in which a shape may be named. */
typedef struct api_shape_users {
  const api_scene_entry *scenes;
  size_t count;
} api_shape_users;
/* Counts the colliders that name the shape in scenes of the list that are in memory. CT_CANCELLED:
 * *out is not set. O(colliders) */
ct_status api_count_references(api_shape_users users, const char *shape_id, const ct_cancel *cancel,
                               uint64_t *out);

#endif
