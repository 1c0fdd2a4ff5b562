/* Encodes records of scenes: decides between a base and a change, and lists the posted shapes that
 * the scene refers to. */
#include <api/record.h>

#include <stdlib.h>

#include "records/record_scene.h"
#include "records/record_shape_names.h"

void api_record_free(api_record *record) {
  free(record->bytes);
  free(record->shapes);
  *record = (api_record){0};
}

/* Transfers the bytes of both buffers to *out. False: a buffer has failed. */
static bool move_buffers(api_record *out, api_buffer *bytes, api_buffer *names) {
  out->bytes = api_buffer_detach(bytes, &out->length);
  if (out->has_shapes) out->shapes = api_buffer_detach(names, &out->shapes_length);
  if (out->bytes && (!out->has_shapes || out->shapes)) return true;
  api_record_free(out);
  return false;
}

bool api_record_base(const ct_scene *scene, api_record *out) {
  api_buffer bytes = {0}, names = {0};
  bool same;
  *out = (api_record){.base = true, .has_shapes = true};
  if (api_record_put_scene(&bytes, NULL, scene, &same)) {
    api_record_put_names(&names, scene);
    return move_buffers(out, &bytes, &names);
  }
  api_buffer_free(&bytes);
  return false;
}

bool api_record_change(const ct_scene *before, const ct_scene *after, api_record *out) {
  api_buffer bytes = {0}, names = {0};
  bool same;
  *out = (api_record){0};
  if (before && api_record_put_scene(&bytes, before, after, &same)) {
    out->has_shapes = !same;
    if (!same) api_record_put_names(&names, after);
    return move_buffers(out, &bytes, &names);
  }
  bool failed = bytes.failed;
  api_buffer_free(&bytes);
  return !failed && api_record_base(after, out);
}
