/* Reads raw boxes and their frames. */
#include "queries/boxes_request.h"

/* Adds a fault at the first axis on which the box has min > max. */
static void refuse_inverted_box(api_reader *reader, const api_field *box, const double v[6]) {
  size_t k = 0;
  while (k < 3 && v[k] <= v[k + 3]) k++;
  if (k == 3) return;
  char low[API_NUMBER_BYTES], high[API_NUMBER_BYTES];
  low[api_number_format(v[k], low)] = 0;
  high[api_number_format(v[k + 3], high)] = 0;
  api_field least = api_field_element(box, k);
  api_fault_limit(
      api_fault_at(
          reader->faults, API_PROBLEM_BAD_VALUE, &least.path,
          "A box is [minX, minY, minZ, maxX, maxY, maxZ], min <= max; min%c is %s, max%c is %s.",
          "XYZ"[k], low, "XYZ"[k], high),
      v[k + 3], v[k]);
}

/* Reads `count` boxes into boxes[0..count). */
static bool read_box_list(api_reader *reader, const api_field *field, size_t count,
                          ct_aabb *boxes) {
  for (size_t i = 0; i < count && !api_faults_full(reader->faults); i++) {
    api_field element = api_field_element(field, i);
    double v[6];
    if (i % 1024 == 0 && api_reader_cancelled(reader)) return false;
    if (!api_read_numbers(reader, &element, CT_COORDINATE_MAX, 6, v)) continue;
    boxes[i] = (ct_aabb){{v[0], v[1], v[2]}, {v[3], v[4], v[5]}};
    refuse_inverted_box(reader, &element, v);
  }
  return !api_faults_any(reader->faults);
}

/* Checks that each frame has as many boxes as `boxes`, before memory for the frames is
 * allocated. */
static bool check_frame_lengths(api_reader *reader, const api_field *frames, api_query *out) {
  out->has_frames = api_field_present(frames);
  if (!out->has_frames) return true;
  if (!api_read_array(reader, frames, 0, CT_FRAMES_MAX, &out->frame_count)) return false;
  for (size_t f = 0; f < out->frame_count; f++) {
    api_field frame = api_field_element(frames, f);
    size_t count;
    if (!api_read_array(reader, &frame, out->box_count, out->box_count, &count)) return false;
  }
  return true;
}

bool api_read_boxes(api_reader *reader, const api_boxes_fields *fields, api_query *out) {
  const api_field *first = fields->boxes, *frames = fields->frames;
  out->mode = API_MODE_BOXES;
  if (!api_read_array(reader, first, 0, CT_BODIES_MAX, &out->box_count)) return false;
  if (!check_frame_lengths(reader, frames, out)) return false;
  if (out->changes && !out->has_frames) {
    api_fault_at(
        reader->faults, API_PROBLEM_CONFLICTING_MEMBERS, &fields->include->path,
        "include \"changes\" of boxes requires frames: add frames, or remove \"changes\".");
    return false;
  }
  ct_aabb *boxes =
      api_arena_array(reader->arena, out->box_count * (1 + out->frame_count), sizeof *boxes);
  if (!boxes) {
    api_fault_memory(reader->faults);
    return false;
  }
  out->boxes = boxes;
  bool good = read_box_list(reader, first, out->box_count, boxes);
  for (size_t f = 0; f < out->frame_count && good; f++) {
    api_field frame = api_field_element(frames, f);
    good = read_box_list(reader, &frame, out->box_count, boxes + (f + 1) * out->box_count);
  }
  return good;
}
