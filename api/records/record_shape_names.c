/* Collects the names of posted shapes from the notes of colliders. */
#include "records/record_shape_names.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "shapes/shape_reference.h"

void api_record_names_free(api_record_names *names) {
  free(names->items);
  *names = (api_record_names){0};
}

static void push(api_record_names *names, ct_text name) {
  assert(name.length > 0 && names->count <= names->capacity);
  if (names->count && api_text_equal(names->items[names->count - 1], name)) return;
  if (!api_array_reserve(&names->items, &names->capacity, names->count + 1, sizeof *names->items)) {
    names->failed = true;
    return;
  }
  names->items[names->count++] = name;
}

void api_record_names_add(api_record_names *names, const ct_body *body) {
  size_t count = body ? ct_body_collider_count(body) : 0;
  for (size_t i = 0; i < count; i++) {
    ct_text name = api_shape_named(ct_body_collider(body, i).note);
    if (name.length) push(names, name);
  }
}

static int by_bytes(const void *a, const void *b) {
  return api_text_compare(*(const ct_text *)a, *(const ct_text *)b);
}

void api_record_names_sort(api_record_names *names) {
  if (names->count > 1) qsort(names->items, names->count, sizeof *names->items, by_bytes);
  size_t kept = 0;
  for (size_t i = 0; i < names->count; i++)
    if (!kept || !api_text_equal(names->items[kept - 1], names->items[i]))
      names->items[kept++] = names->items[i];
  names->count = kept;
}

bool api_record_names_equal(const ct_body *a, const ct_body *b) {
  size_t in_a = a ? ct_body_collider_count(a) : 0, in_b = b ? ct_body_collider_count(b) : 0, i = 0,
         k = 0;
  for (;;) {
    ct_text name_a = {0}, name_b = {0};
    while (i < in_a && !name_a.length) name_a = api_shape_named(ct_body_collider(a, i++).note);
    while (k < in_b && !name_b.length) name_b = api_shape_named(ct_body_collider(b, k++).note);
    if (!api_text_equal(name_a, name_b)) return false;
    if (!name_a.length) return true;
  }
}

void api_record_put_names(api_buffer *out, const ct_scene *scene) {
  api_record_names names = {0};
  for (uint32_t row = 0; row < ct_scene_rows(scene); row++)
    api_record_names_add(&names, ct_scene_body(scene, row));
  api_record_names_sort(&names);
  for (size_t i = 0; i < names.count; i++) {
    api_put_bytes(out, names.items[i].bytes, names.items[i].length);
    api_put_byte(out, 0);
  }
  out->failed = out->failed || names.failed;
  api_record_names_free(&names);
}

static bool has(const api_record_names *names, ct_text name) {
  return names->count && bsearch(&name, names->items, names->count, sizeof name, by_bytes) != NULL;
}

static bool scene_names(const ct_scene *scene, ct_text name) {
  for (uint32_t row = 0; row < ct_scene_rows(scene); row++) {
    const ct_body *body = ct_scene_body(scene, row);
    size_t count = body ? ct_body_collider_count(body) : 0;
    for (size_t i = 0; i < count; i++)
      if (api_text_equal(api_shape_named(ct_body_collider(body, i).note), name)) return true;
  }
  return false;
}

bool api_record_names_all(const ct_scene *scene, const api_record_names *names,
                          const api_record_names *others) {
  for (size_t i = 0; i < names->count; i++)
    if (!has(others, names->items[i]) && !scene_names(scene, names->items[i])) return false;
  return true;
}
