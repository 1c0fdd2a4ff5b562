/* Rounding radius and margin of a collider in JSON. */
#ifndef API_SHAPES_ROUNDING_JSON_H
#define API_SHAPES_ROUNDING_JSON_H

#include "json/fields.h"
#include <contact/scene.h>

/* Entries of an object's member list for rounding radius and margin, in this order. */
#define API_ROUNDING_MEMBERS                                                                       \
  {.name = "roundingRadius"}, {.name = "roundingMode"}, { .name = "margin" }
#define API_ROUNDING_MEMBER_COUNT 3

/* As api_read_rounding, if at least one of the members is present. */
bool api_read_given_rounding(api_reader *reader, const api_field members[API_ROUNDING_MEMBER_COUNT],
                             ct_shape *shape);
/* Reads rounding radius and margin and applies them to a shape. The hull of a shrunk convex shape
 * is replaced by its inset, which keeps a reference to the original hull. Who owns the shape does
 * not change. OUT_OF_RANGE: the shape is too thin for the radius. BAD_VALUE: the kind cannot be
 * shrunk. MISSING_MEMBER: roundingMode without roundingRadius. */
static inline bool api_read_rounding(api_reader *reader,
                                     const api_field members[API_ROUNDING_MEMBER_COUNT],
                                     ct_shape *shape) {
  for (size_t i = 0; i < API_ROUNDING_MEMBER_COUNT; i++)
    if (api_field_present(&members[i])) return api_read_given_rounding(reader, members, shape);
  shape->inset = false;
  shape->rounding = shape->margin = 0.0;
  return true;
}

/* Puts the members whose values are not the defaults. */
void api_put_rounding(api_buffer *buffer, const ct_shape *shape);

#endif
