/* Reads and writes the arrays of meshes. */
#include "shapes/mesh_arrays.h"

#include <assert.h>
#include <contact/limits.h>
#include <math.h>

/* Least value of a normal's largest component; a shorter normal is refused as zero. */
#define NORMAL_LEAST 1e-9

/* ---- decode --------------------------------------------------------------------------------- */

bool api_read_vertices(api_reader *reader, const api_field *field, size_t least, ct_vec3 **out,
                       size_t *count) {
  if (!api_read_array(reader, field, least, CT_MESH_VERTICES_MAX, count)) return false;
  *out = api_arena_array(reader->arena, *count, sizeof **out);
  if (!*out) {
    api_fault_memory(reader->faults);
    return false;
  }
  bool good = true;
  for (size_t i = 0; i < *count && !api_faults_full(reader->faults); i++) {
    api_field element = api_field_element(field, i);
    if (i % API_ITEMS_PER_POLL == 0 && api_reader_cancelled(reader)) return false;
    good = api_read_position(reader, &element, &(*out)[i]) && good;
  }
  return good;
}

/* Reads the index of a vertex, which must be below `vertices`. */
static bool read_index(api_reader *reader, const api_field *field, size_t vertices, uint32_t *out) {
  if (!json_is_number(field->value)) {
    api_fault_at(reader->faults, API_PROBLEM_WRONG_TYPE, &field->path,
                 "Expected a whole number, got %s.", api_type_words(field->value));
    return false;
  }
  assert(vertices > 0);
  double value = json_number_value(field->value);
  if (value == floor(value) && value >= 0.0 && value < (double)vertices) {
    *out = (uint32_t)value;
    return true;
  }
  api_fault *fault =
      api_fault_at(reader->faults, API_PROBLEM_BAD_INDEX, &field->path,
                   "Expected the number of a vertex: a whole number from 0 to %zu.", vertices - 1);
  api_fault_limit(fault, (double)vertices - 1.0, value);
  return false;
}

/* Returns the position of the first vertex index that occurs earlier in the item; `count`: none. */
static size_t first_repeated(const uint32_t *corners, size_t count) {
  for (size_t c = 1; c < count; c++)
    for (size_t d = 0; d < c; d++)
      if (corners[c] == corners[d]) return c;
  return count;
}

static bool read_item(api_reader *reader, const api_field *field, const api_corner_form *form,
                      size_t vertices, uint32_t *out) {
  size_t count = 0;
  if (!api_read_array(reader, field, form->corners, form->corners, &count)) return false;
  bool good = true;
  for (size_t c = 0; c < form->corners; c++) {
    api_field corner = api_field_element(field, c);
    good = read_index(reader, &corner, vertices, &out[c]) && good;
  }
  if (!good) return false;
  size_t twice = first_repeated(out, form->corners);
  if (twice == form->corners) return true;
  api_pointer at = api_pointer_index(&field->path, twice);
  api_fault *fault = api_fault_at(
      reader->faults, API_PROBLEM_BAD_INDEX, &at,
      "The %s names the vertex %u twice: its vertices must be different.", form->word, out[twice]);
  api_fault_limit(fault, NAN, out[twice]);
  return false;
}

bool api_read_corners(api_reader *reader, const api_field *field, const api_corner_form *form,
                      size_t vertices, uint32_t **out, size_t *count) {
  assert(form->corners > 0 && vertices > 0);
  if (!api_read_array(reader, field, 1, form->most, count)) return false;
  uint32_t *corners = api_arena_array(reader->arena, *count, form->corners * sizeof *corners);
  if (!corners) {
    api_fault_memory(reader->faults);
    return false;
  }
  bool good = true;
  for (size_t i = 0; i < *count && !api_faults_full(reader->faults); i++) {
    api_field item = api_field_element(field, i);
    if (i % API_ITEMS_PER_POLL == 0 && api_reader_cancelled(reader)) return false;
    good = read_item(reader, &item, form, vertices, corners + i * form->corners) && good;
  }
  *out = corners;
  return good;
}

/* Reads an element with 4, 5, 6 or 8 vertices; *corners is set to their number. */
static bool read_mixed_item(api_reader *reader, const api_field *field, size_t vertices,
                            uint32_t *out, uint8_t *corners) {
  size_t length = json_array_size(field->value);
  if (json_is_array(field->value) &&
      (length > CT_ELEMENT_CORNERS_MAX || !ct_element_form_of_corners((uint32_t)length))) {
    api_fault_limit(api_fault_at(reader->faults, API_PROBLEM_WRONG_TYPE, &field->path,
                                 "The element has %zu corners: a tetrahedron has 4, a pyramid 5, a "
                                 "wedge 6, a hexahedron 8.",
                                 length),
                    NAN, (double)length);
    return false;
  }
  *corners = (uint8_t)length;
  const api_corner_form form = {"element", length, 0};
  return read_item(reader, field, &form, vertices, out);
}

bool api_read_mixed_corners(api_reader *reader, const api_field *field, size_t most,
                            size_t vertices, api_mixed_corners *out) {
  if (!api_read_array(reader, field, 1, most, &out->count)) return false;
  const size_t room = CT_ELEMENT_CORNERS_MAX * sizeof *out->corners;
  out->corners = api_arena_array(reader->arena, out->count, room);
  out->counts = api_arena_array(reader->arena, out->count, sizeof *out->counts);
  if (!out->corners || !out->counts) {
    api_fault_memory(reader->faults);
    return false;
  }
  bool good = true;
  uint32_t *next = out->corners;
  for (size_t i = 0; i < out->count && !api_faults_full(reader->faults); i++) {
    api_field item = api_field_element(field, i);
    if (i % API_ITEMS_PER_POLL == 0 && api_reader_cancelled(reader)) return false;
    out->counts[i] = 0;
    good = read_mixed_item(reader, &item, vertices, next, &out->counts[i]) && good;
    next += out->counts[i];
  }
  return good;
}

static bool read_normal(api_reader *reader, const api_field *field, ct_vec3 *out) {
  if (!api_read_position(reader, field, out)) return false;
  double size = ct_max_abs(*out);
  if (size >= NORMAL_LEAST) return true;
  api_fault *fault =
      api_fault_at(reader->faults, API_PROBLEM_OUT_OF_RANGE, &field->path,
                   "The normal must not be zero: its largest component must be at least 1e-9.");
  api_fault_limit(fault, NORMAL_LEAST, size);
  return false;
}

bool api_read_normals(api_reader *reader, const api_field *field, size_t vertex_count,
                      ct_vec3 **out) {
  size_t count = 0;
  *out = NULL;
  if (!api_field_present(field)) return true;
  if (!api_read_array(reader, field, vertex_count, vertex_count, &count)) return false;
  ct_vec3 *normals = api_arena_array(reader->arena, count, sizeof *normals);
  if (!normals) {
    api_fault_memory(reader->faults);
    return false;
  }
  bool good = true;
  for (size_t i = 0; i < count && !api_faults_full(reader->faults); i++) {
    api_field element = api_field_element(field, i);
    if (i % API_ITEMS_PER_POLL == 0 && api_reader_cancelled(reader)) return false;
    good = read_normal(reader, &element, &normals[i]) && good;
  }
  *out = normals;
  return good;
}

/* ---- encode --------------------------------------------------------------------------------- */

void api_put_vectors(api_buffer *buffer, const char *name, const ct_vec3 *vectors, size_t count) {
  api_put_key(buffer, name);
  api_put_byte(buffer, '[');
  for (size_t i = 0; i < count; i++) {
    api_put_item(buffer);
    api_put_vec3(buffer, vectors[i]);
  }
  api_put_byte(buffer, ']');
}

static void put_item_corners(api_buffer *buffer, const uint32_t *corners, size_t count) {
  api_put_item(buffer);
  api_put_byte(buffer, '[');
  for (size_t c = 0; c < count; c++) {
    if (c) api_put_byte(buffer, ',');
    api_put_unsigned(buffer, corners[c]);
  }
  api_put_byte(buffer, ']');
}

void api_put_corners(api_buffer *buffer, const char *name, const uint32_t *corners, size_t each,
                     size_t count) {
  api_put_key(buffer, name);
  api_put_byte(buffer, '[');
  for (size_t i = 0; i < count; i++) put_item_corners(buffer, corners + i * each, each);
  api_put_byte(buffer, ']');
}

void api_put_mixed_corners(api_buffer *buffer, const char *name, const uint32_t *corners,
                           const uint8_t *counts, size_t stride, size_t count) {
  api_put_key(buffer, name);
  api_put_byte(buffer, '[');
  for (size_t i = 0; i < count; i++) put_item_corners(buffer, corners + i * stride, counts[i]);
  api_put_byte(buffer, ']');
}

bool api_read_surface_ids(api_reader *reader, const api_field *field, size_t most,
                          const uint32_t **ids, size_t *count) {
  *ids = NULL;
  *count = 0;
  if (!api_field_present(field)) return true;
  if (!api_read_array(reader, field, 1, most, count)) return false;
  uint32_t *read = api_arena_array(reader->arena, *count, sizeof *read);
  if (!read) {
    api_fault_memory(reader->faults);
    return false;
  }
  bool good = true;
  for (size_t i = 0; i < *count && !api_faults_full(reader->faults); i++) {
    api_field item = api_field_element(field, i);
    uint64_t id = 0;
    if (i % API_ITEMS_PER_POLL == 0 && api_reader_cancelled(reader)) return false;
    good = api_read_unsigned(reader, &item, 0, UINT32_MAX, &id) && good;
    read[i] = (uint32_t)id;
  }
  *ids = read;
  return good;
}

void api_put_surface_ids(api_buffer *buffer, const uint32_t *ids, size_t count) {
  api_put_key(buffer, "surfaceIds");
  api_put_byte(buffer, '[');
  for (size_t i = 0; i < count; i++) {
    if (i) api_put_byte(buffer, ',');
    api_put_unsigned(buffer, ids[i]);
  }
  api_put_byte(buffer, ']');
}
