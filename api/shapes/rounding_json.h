/* Rounding and margin of a collider. */
#ifndef API_SHAPES_ROUNDING_JSON_H
#define API_SHAPES_ROUNDING_JSON_H

#include "json/fields.h"
#include <contact/scene.h>

/* To be put into an object's list of members, in this order. */
#define API_ROUNDING_MEMBERS                                                                       \
  {.name = "roundingRadius"}, {.name = "roundingMode"}, { .name = "margin" }
#define API_ROUNDING_MEMBER_COUNT 3

/* The members of a shape, at least one of them present; see api_read_rounding. */
bool api_read_given_rounding(api_reader *reader, const api_field members[API_ROUNDING_MEMBER_COUNT],
                             ct_shape *shape);
/* Rounds a shape that was read. A convex that is shrunk gives up its hull for the inset, which
 * keeps it. OUT_OF_RANGE: the shape is too small for the radius; BAD_VALUE: a kind that is not
 * shrunk; MISSING_MEMBER: a mode without a radius. The shape is owned as before in any case. */
static inline bool api_read_rounding(api_reader *reader,
                                     const api_field members[API_ROUNDING_MEMBER_COUNT],
                                     ct_shape *shape) {
  for (size_t i = 0; i < API_ROUNDING_MEMBER_COUNT; i++)
    if (api_field_present(&members[i])) return api_read_given_rounding(reader, members, shape);
  shape->inset = false;
  shape->rounding = shape->margin = 0.0;
  return true;
}

/* Puts the members that are not the default. */
void api_put_rounding(api_buffer *buffer, const ct_shape *shape);

#endif
