/* Rounding and margin of a collider. */
#ifndef API_SHAPES_ROUNDING_JSON_H
#define API_SHAPES_ROUNDING_JSON_H

#include "json/fields.h"
#include <contact/scene.h>

/* Members for an object's list of members, in this order. */
#define API_ROUNDING_MEMBERS                                                                       \
  {.name = "roundingRadius"}, {.name = "roundingMode"}, { .name = "margin" }
#define API_ROUNDING_MEMBER_COUNT 3

/* Reads the members if at least one is present; see api_read_rounding. */
bool api_read_given_rounding(api_reader *reader, const api_field members[API_ROUNDING_MEMBER_COUNT],
                             ct_shape *shape);
/* Rounds a decoded shape. A shrunk convex replaces its hull by the inset, which retains the hull.
 * OUT_OF_RANGE: the shape is too small for the radius; BAD_VALUE: the kind cannot be shrunk;
 * MISSING_MEMBER: a mode without a radius. The ownership of the shape does not change. */
static inline bool api_read_rounding(api_reader *reader,
                                     const api_field members[API_ROUNDING_MEMBER_COUNT],
                                     ct_shape *shape) {
  for (size_t i = 0; i < API_ROUNDING_MEMBER_COUNT; i++)
    if (api_field_present(&members[i])) return api_read_given_rounding(reader, members, shape);
  shape->inset = false;
  shape->rounding = shape->margin = 0.0;
  return true;
}

/* Puts the members with values other than the defaults. */
void api_put_rounding(api_buffer *buffer, const ct_shape *shape);

#endif
