/* Packed poses: {"ids", "positions", "rotations", "linearVelocities", "angularVelocities"}, columns
 * of equal length. ids and at least one other column are required. An absent column leaves the
 * scene's values unchanged. */
#ifndef API_DOCUMENTS_PACKED_POSES_JSON_H
#define API_DOCUMENTS_PACKED_POSES_JSON_H

#include <contact/query.h>

#include "json/pose_json.h"

typedef struct api_poses {
  size_t count;
  const ct_text *ids; /* borrowed from the JSON value */
  const ct_vec3
      *positions; /* this and the following columns are in the arena; an absent one is NULL */
  const ct_quat *rotations;
  const ct_vec3 *linear_velocities;
  const ct_vec3 *angular_velocities;
} api_poses;

/* Reads packed poses. It does not check that ids are distinct: the functions that apply the poses
 * do (DUPLICATE_ID). */
bool api_read_poses(api_reader *reader, const api_field *field, api_poses *out);
/* Reads packed poses of a write, which may have the members contactState and persisted. */
bool api_read_poses_write(api_reader *reader, const api_field *field, api_poses *out,
                          api_field *contact_state, api_field *persisted);
/* Reads a variant: packed poses, add and filters, of which at least one is required. *add and
 * *filters have no value if absent; without poses out->ids is NULL. */
bool api_read_variant_members(api_reader *reader, const api_field *field, api_poses *out,
                              api_field *add, api_field *filters);
/* Writes poses and velocities to a draft; `at` is the location of the packed poses. Faults:
 * UNKNOWN_ID; DUPLICATE_ID; MISSING_MEMBER if `all` is set and a body of the draft is not listed;
 * BAD_VALUE if a static body has a velocity other than zero. */
bool api_apply_poses(api_reader *reader, const api_pointer *at, const api_poses *poses, bool all,
                     ct_draft *draft);
/* Resolves the ids of hypothetical poses to rows of the scene. *out is in the arena, sorted by row,
 * with one entry per row. */
bool api_override_poses(api_reader *reader, const api_pointer *at, const api_poses *poses,
                        const ct_scene *scene, ct_override **out, size_t *count);
/* Velocity of the body in a row of the scene that replaces the body's own velocity for one
 * query. */
typedef struct api_velocity_at {
  uint32_t row;
  ct_velocity velocity;
} api_velocity_at;
typedef struct api_velocities {
  const api_velocity_at *items; /* sorted by row, one per row; in the arena */
  size_t count;
} api_velocities;

/* Resolves the velocities of hypothetical poses. *out is empty if the poses have no column of
 * velocities. */
bool api_override_velocities(api_reader *reader, const api_poses *poses, const ct_scene *scene,
                             api_velocities *out);
/* Returns the velocity that replaces that of the body in a row of the scene; NULL: the body's own
 * velocity applies. O(log count). */
const ct_velocity *api_velocity_of(const api_velocities *velocities, uint32_t row);
/* Puts the packed poses of all bodies in row order, with velocities if any body has a motion. */
void api_put_poses(api_buffer *buffer, const ct_scene *scene);

#endif
