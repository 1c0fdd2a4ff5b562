/* Reads and writes roundingRadius, roundingMode and margin. */
#include "shapes/rounding_json.h"

#include "shapes/primitive_json.h"

enum { RADIUS, MODE, MARGIN };

static const char *const modes[] = {"inset", "add"};

static bool report_too_large_radius(api_reader *reader, const api_field *field, double limit,
                                    double radius) {
  api_fault *fault = api_fault_at(reader->faults, API_PROBLEM_OUT_OF_RANGE, &field->path,
                                  "The shape is too thin to be shrunk by roundingRadius before it "
                                  "is rounded: use a smaller radius, or roundingMode \"add\".");
  api_fault_limit(fault, limit, radius);
  return false;
}

static bool inset_hull(api_reader *reader, const api_field *field, double limit, double radius,
                       ct_shape *shape) {
  ct_hull *inset = NULL;
  ct_status status = ct_hull_inset(shape->hull, radius, reader->cancel, &inset);
  if (status == CT_OUT_OF_MEMORY) {
    api_fault_memory(reader->faults);
    return false;
  }
  if (status == CT_CANCELLED && api_reader_cancelled(reader)) return false;
  if (status != CT_OK) return report_too_large_radius(reader, field, limit, radius);
  ct_hull_release(shape->hull);
  shape->hull = inset;
  shape->lent = false;
  return true;
}

/* Shrinks the shape by the radius, so that rounding it by the same radius restores its size. */
static bool shrink(api_reader *reader, const api_field *m, double radius, ct_shape *shape) {
  double limit = ct_shape_inset_limit(shape, reader->cancel);
  if (api_reader_cancelled(reader)) return false;
  if (limit < 0.0) {
    api_fault_memory(reader->faults);
    return false;
  }
  if (limit == 0.0) {
    api_fault *fault =
        api_fault_at(reader->faults, API_PROBLEM_BAD_VALUE, &m[m[MODE].value ? MODE : RADIUS].path,
                     "The kind %s cannot be shrunk for its rounding: use roundingMode \"add\".",
                     ct_kind_word(shape->kind));
    api_fault_suggest(fault, (ct_text){modes[1], 3});
    return false;
  }
  if (radius > limit) return report_too_large_radius(reader, &m[RADIUS], limit, radius);
  return shape->kind != CT_KIND_CONVEX || inset_hull(reader, &m[RADIUS], limit, radius, shape);
}

bool api_read_given_rounding(api_reader *reader, const api_field members[API_ROUNDING_MEMBER_COUNT],
                             ct_shape *shape) {
  size_t mode = 0;
  double radius = 0.0, margin = 0.0;
  bool good = api_read_size_or_zero(reader, &members[RADIUS], &radius);
  good = api_read_word(reader, &members[MODE], modes, 2, &mode) && good;
  good = api_read_size_or_zero(reader, &members[MARGIN], &margin) && good;
  if (!api_reject_unused(reader, &members[MODE], !members[RADIUS].value, "roundingRadius"))
    return false;
  bool inset = mode == 0 && radius > 0.0;
  if (!good || (inset && !shrink(reader, members, radius, shape))) return false;
  shape->inset = inset;
  shape->rounding = radius;
  shape->margin = margin;
  return true;
}

void api_put_rounding(api_buffer *buffer, const ct_shape *shape) {
  if (shape->rounding > 0.0) {
    api_put_member_number(buffer, "roundingRadius", shape->rounding);
    if (!shape->inset) api_put_member_string(buffer, "roundingMode", (ct_text){modes[1], 3});
  }
  if (shape->margin > 0.0) api_put_member_number(buffer, "margin", shape->margin);
}
