/* Packed poses: {"ids", "positions", "rotations", "linearVelocities", "angularVelocities"},
 * columns of equal length, ids and at least one more. An absent column leaves the scene's values
 * unchanged. */
#ifndef API_DOCUMENTS_PACKED_POSES_JSON_H
#define API_DOCUMENTS_PACKED_POSES_JSON_H

#include <contact/query.h>

#include "json/pose_json.h"

typedef struct api_poses {
  size_t count;
  const ct_text *ids;       /* borrowed from the JSON value */
  const ct_vec3 *positions; /* each NULL if absent; in the arena */
  const ct_quat *rotations;
  const ct_vec3 *linear_velocities;
  const ct_vec3 *angular_velocities;
} api_poses;

/* Reads packed poses; the functions below detect DUPLICATE_ID. */
bool api_read_poses(api_reader *reader, const api_field *field, api_poses *out);
/* Reads a variant: poses, add and filters, of which at least one is required. Absent fields have no
 * value; without poses out->ids is NULL. */
bool api_read_variant_members(api_reader *reader, const api_field *field, api_poses *out,
                              api_field *add, api_field *filters);
/* Writes poses and velocities to a draft; `at` is the location of the document. UNKNOWN_ID;
 * DUPLICATE_ID; `all`: every body must be listed (MISSING_MEMBER). A static body only accepts zero
 * velocities (BAD_VALUE). */
bool api_apply_poses(api_reader *reader, const api_pointer *at, const api_poses *poses, bool all,
                     ct_draft *draft);
/* Resolves hypothetical poses: *out is in the arena, sorted by row, one entry per row. */
bool api_override_poses(api_reader *reader, const api_pointer *at, const api_poses *poses,
                        const ct_scene *scene, ct_override **out, size_t *count);
/* Velocities that replace the scene's for one query. */
typedef struct api_velocity_at {
  uint32_t row;
  ct_velocity velocity;
} api_velocity_at;
typedef struct api_velocities {
  const api_velocity_at *items; /* sorted by row, one per row; in the arena */
  size_t count;
} api_velocities;

/* Velocities of hypothetical poses; none if they have no column of velocities. */
bool api_override_velocities(api_reader *reader, const api_poses *poses, const ct_scene *scene,
                             api_velocities *out);
/* The row's velocity; NULL: none. O(log count). */
const ct_velocity *api_velocity_of(const api_velocities *velocities, uint32_t row);
/* Writes all bodies in row order; velocities if any body has motion. */
void api_put_poses(api_buffer *buffer, const ct_scene *scene);

#endif
