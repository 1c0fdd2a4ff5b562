/* Reads rays, points and regions. */
#include "queries/probe_request.h"

/* Rays or points between two polls of the cancel flag. */
#define ITEMS_PER_POLL 1024

/* Checks that a required member is present. */
static bool check_required(api_reader *reader, const api_field *field) {
  if (api_field_present(field)) return true;
  api_fault_at(reader->faults, API_PROBLEM_MISSING_MEMBER, &field->path,
               "The member \"%s\" is missing.", field->name);
  return false;
}

/* Reads {"origin", "direction", "maxDistance"?}. */
static bool read_ray(api_reader *reader, const api_field *field, ct_ray *out) {
  api_field members[] = {{.name = "origin", .required = true},
                         {.name = "direction", .required = true},
                         {.name = "maxDistance"}};
  out->reach = INFINITY;
  bool good = api_read_object(reader, field, members, 3);
  good = api_read_position(reader, &members[0], &out->origin) && good;
  good = api_read_vec3(reader, &members[1], API_DIRECTION_MAX, &out->direction) && good;
  good = api_read_number(reader, &members[2], 0.0, API_REACH_MAX, &out->reach) && good;
  if (!good || ct_max_abs(out->direction) > 0.0) return good;
  api_fault_at(reader->faults, API_PROBLEM_BAD_VALUE, &members[1].path,
               "A direction has a length: not all three are 0.");
  return false;
}

static bool read_rays(api_reader *reader, const api_field *field, ct_probe_options *out) {
  if (!api_read_array(reader, field, 0, reader->limits->rays, &out->count)) return false;
  ct_ray *rays = api_arena_array(reader->arena, out->count, sizeof *rays);
  if (!rays) api_fault_memory(reader->faults);
  for (size_t i = 0; rays && i < out->count && !api_faults_full(reader->faults); i++) {
    api_field element = api_field_element(field, i);
    if (i % ITEMS_PER_POLL == 0 && api_reader_cancelled(reader)) return false;
    read_ray(reader, &element, &rays[i]);
  }
  out->rays = rays;
  return !api_faults_any(reader->faults);
}

static bool read_points(api_reader *reader, const api_field *field, ct_probe_options *out) {
  if (!api_read_array(reader, field, 0, reader->limits->points, &out->count)) return false;
  ct_vec3 *points = api_arena_array(reader->arena, out->count, sizeof *points);
  if (!points) api_fault_memory(reader->faults);
  for (size_t i = 0; points && i < out->count && !api_faults_full(reader->faults); i++) {
    api_field element = api_field_element(field, i);
    if (i % ITEMS_PER_POLL == 0 && api_reader_cancelled(reader)) return false;
    api_read_position(reader, &element, &points[i]);
  }
  out->points = points;
  return !api_faults_any(reader->faults);
}

static bool read_raycast(api_reader *reader, const api_probe_fields *fields,
                         ct_probe_options *out) {
  static const char *const words[] = {"first", "all"};
  size_t which = 0;
  bool good = api_read_word(reader, fields->hits, words, 2, &which);
  out->kind = CT_PROBE_RAYCAST;
  out->all = which == 1;
  return check_required(reader, fields->rays) && read_rays(reader, fields->rays, out) && good;
}

static bool read_nearest(api_reader *reader, const api_probe_fields *fields,
                         ct_probe_options *out) {
  uint64_t nearest = 1;
  bool good = api_read_unsigned(reader, fields->nearest, 1, reader->limits->nearest, &nearest);
  out->kind = CT_PROBE_NEAREST;
  out->nearest = (uint32_t)nearest;
  out->reach = INFINITY;
  good = api_read_number(reader, fields->max_distance, 0.0, API_REACH_MAX, &out->reach) && good;
  return check_required(reader, fields->points) && read_points(reader, fields->points, out) && good;
}

/* Makes the box with the corners min and max. */
static bool read_region_corners(api_reader *reader, api_field corners[2], ct_collider *out) {
  ct_vec3 low, high;
  bool good = api_read_position(reader, &corners[0], &low);
  good = api_read_position(reader, &corners[1], &high) && good;
  if (!good) return false;
  ct_vec3 size = ct_sub(high, low);
  if (!(size.x >= CT_SIZE_MIN && size.y >= CT_SIZE_MIN && size.z >= CT_SIZE_MIN)) {
    api_fault_at(reader->faults, API_PROBLEM_OUT_OF_RANGE, &corners[1].path,
                 "max is above min by %g m at least in each coordinate.", CT_SIZE_MIN);
    return false;
  }
  *out = (ct_collider){.shape = {.kind = CT_KIND_BOX, .box = {ct_scale(size, 0.5)}},
                       .pose = ct_pose_identity()};
  out->pose.position = ct_lerp(low, high, 0.5);
  return true;
}

/* Reads a shape as a region, which has no material. */
static bool read_region_shape(api_reader *reader, const api_field *field, ct_collider *out) {
  if (!api_read_collider(reader, field, out)) return false;
  if (!out->material.length) return true;
  api_pointer material = api_pointer_member(&field->path, "material");
  api_fault_at(reader->faults, API_PROBLEM_CONFLICTING_MEMBERS, &material,
               "\"material\" cannot be combined with a region.");
  api_collider_release(out);
  return false;
}

bool api_read_region(api_reader *reader, const api_field *field, ct_collider *out) {
  if (!json_object_get(field->value, "min") && !json_object_get(field->value, "max"))
    return read_region_shape(reader, field, out);
  api_field corners[] = {{.name = "min", .required = true}, {.name = "max", .required = true}};
  return api_read_object(reader, field, corners, 2) && read_region_corners(reader, corners, out);
}

static bool read_region_options(api_reader *reader, const api_probe_fields *fields,
                                ct_probe_options *out) {
  static const char *const words[] = {"overlapping", "inside"};
  size_t which = 0;
  bool good = api_read_word(reader, fields->mode, words, 2, &which);
  out->kind = CT_PROBE_REGION;
  out->inside = which == 1;
  return check_required(reader, fields->region) && good;
}

bool api_read_probe(api_reader *reader, api_kind kind, const api_probe_fields *fields,
                    ct_probe_options *out) {
  if (kind == API_KIND_RAYCAST) return read_raycast(reader, fields, out);
  if (kind == API_KIND_NEAREST) return read_nearest(reader, fields, out);
  if (kind == API_KIND_REGION) return read_region_options(reader, fields, out);
  out->kind = CT_PROBE_POINT;
  return check_required(reader, fields->points) && read_points(reader, fields->points, out);
}
