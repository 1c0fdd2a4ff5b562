/* Packed poses: {"ids", "positions", "rotations", "linearVelocities", "angularVelocities"}; columns of equal length, ids and at
 * least one more. A column that is not there keeps the scene's values. */
#ifndef API_DOCUMENTS_PACKED_POSES_JSON_H
#define API_DOCUMENTS_PACKED_POSES_JSON_H

#include <contact/query.h>

#include "json/pose_json.h"

typedef struct api_poses {
  size_t count;
  const ct_text *ids;       /* borrowed from the tree */
  const ct_vec3 *positions; /* each NULL if not given; in the arena */
  const ct_quat *rotations;
  const ct_vec3 *linear_velocities;
  const ct_vec3 *angular_velocities;
} api_poses;

/* DUPLICATE_ID is told by the two functions below. */
bool api_read_poses(api_reader *reader, const api_field *field, api_poses *out);
/* The same of a variant, which may have add and filters, too: the fields have no value where they are absent. Beside one of them
 * poses may be absent; out->ids is NULL then. */
bool api_read_variant_members(api_reader *reader, const api_field *field, api_poses *out, api_field *add, api_field *filters);
/* Writes them into a draft; `at` is the place of the document. UNKNOWN_ID; DUPLICATE_ID; `all`: every body must be named
 * (MISSING_MEMBER). A static body takes no velocity but zero (BAD_VALUE). */
bool api_apply_poses(api_reader *reader, const api_pointer *at, const api_poses *poses, bool all, ct_draft *draft);
/* As what-if: *out in the arena, sorted by row, each row once. */
bool api_override_poses(api_reader *reader, const api_pointer *at, const api_poses *poses, const ct_scene *scene, ct_override **out,
                        size_t *count);
/* Velocities that replace the scene's for one question. */
typedef struct api_velocity_at {
  uint32_t row;
  ct_velocity velocity;
} api_velocity_at;
typedef struct api_velocities {
  const api_velocity_at *items; /* sorted by row, each once; in the arena */
  size_t count;
} api_velocities;

/* Those of poses that were read as what-if; none where they have no column of velocities. */
bool api_override_velocities(api_reader *reader, const api_poses *poses, const ct_scene *scene, api_velocities *out);
/* The row's; NULL: it has none here. */
const ct_velocity *api_velocity_of(const api_velocities *velocities, uint32_t row);
/* All bodies in row order; velocities if any body has motion. */
void api_put_poses(api_buffer *buffer, const ct_scene *scene);

#endif
