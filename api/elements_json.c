/* Tetmeshes and hexmeshes in JSON. Elements give the caller's numbers back by themselves. */
#include "elements_json.h"

#include <contact/limits.h>

#include "mesh_arrays.h"
#include "mesh_build.h"

enum { VERTICES, ELEMENTS, NORMALS, SURFACE_IDS, MEMBER_COUNT };

static const char *const member_words[] = {[CT_TETRAHEDRA] = "tetrahedra", [CT_HEXAHEDRA] = "hexahedra"};

/* ---- faults -------------------------------------------------------------------------------------------------------------- */

/* "of vertices 3, 1 and 4" */
static void name_face(const ct_elements_data *data, const ct_elements_report *report, char *out, size_t size) {
  const ct_element_form *form = ct_element_form_of(data->type);
  const uint32_t *corner = data->corners + (size_t)report->element * form->corners, *face = form->face[report->face];
  size_t used = 0;
  out[0] = '\0';
  for (uint32_t k = 0; k < form->face_corners && used < size; k++) {
    const char *before = k == 0 ? "" : k + 1 < form->face_corners ? ", " : " and ";
    used += (size_t)snprintf(out + used, size - used, "%s%u", before, corner[face[k]]);
  }
}

/* Why an element is not taken, at the element or the corner. */
static void tell_element(api_reader *reader, const api_elements_source *source, const ct_elements_report *r) {
  char face[64], text[256];
  api_path list = api_path_member(source->at, member_words[source->data.type]), element = api_path_index(&list, r->element);
  api_path corner = api_path_index(&element, r->corner);
  const api_path *at = source->whole ? source->at : r->fault == CT_ELEMENT_REPEATED ? &corner : &element;
  bool of_face = r->fault == CT_ELEMENT_CROWDED || r->fault == CT_ELEMENT_ONE_SIDE;
  if (of_face) name_face(&source->data, r, face, sizeof face);
  switch (r->fault) {
  case CT_ELEMENT_REPEATED: snprintf(text, sizeof text, "The corner is in the point of an earlier one of the element."); break;
  case CT_ELEMENT_INVERTED:
    snprintf(text, sizeof text, "The element is inside out: its volume is below 0. Corners are in the order of VTK.");
    break;
  case CT_ELEMENT_TWISTED:
    snprintf(text, sizeof text, "The element is inside out in part: of the tetrahedra that it is made of some are below 0.");
    break;
  case CT_ELEMENT_CROWDED:
    snprintf(text, sizeof text, "The face of vertices %s is that of three or more elements, of element %u too.", face, r->other);
    break;
  case CT_ELEMENT_ONE_SIDE:
    snprintf(text, sizeof text, "The face of vertices %s is also that of element %u, which is not on its other side.", face,
             r->other);
    break;
  default: snprintf(text, sizeof text, "The element has no volume: a tetrahedron of its corners lies in a plane.");
  }
  api_fault_at(reader->faults, API_PROBLEM_BAD_ELEMENT, at, "%s", text);
}

static void tell_status(api_reader *reader, const api_elements_source *source, ct_status status, const ct_elements_report *r) {
  const ct_elements_data *data = &source->data;
  api_path ids = api_path_member(source->at, "surfaceIds");
  if (status == CT_OUT_OF_MEMORY) {
    api_fault_memory(reader->faults);
  } else if (status == CT_CANCELLED) {
    api_fault_cancelled(reader->faults);
  } else if (status != CT_BAD_ELEMENT) {
    api_fault_at(reader->faults, API_PROBLEM_LIMIT_EXCEEDED, source->at, "%s.", ct_status_text(status));
  } else if (r->fault == CT_ELEMENT_IDS) {
    api_fault *fault = api_fault_at(reader->faults, API_PROBLEM_WRONG_TYPE, &ids,
                                    "Must have a number for each of the %u outer faces.", r->outer_faces);
    api_fault_limit(fault, r->outer_faces, (double)data->surface_id_count);
  } else if (r->fault == CT_ELEMENT_OPEN) {
    api_fault_at(reader->faults, API_PROBLEM_BAD_ELEMENT, source->at, "The outer faces of the elements enclose no solid.");
  } else {
    tell_element(reader, source, r);
  }
}

bool api_build_elements(api_reader *reader, const api_elements_source *source, ct_elements **out, ct_elements_report *report) {
  ct_elements *elements = NULL;
  *report = (ct_elements_report){.element = CT_NO_ELEMENT};
  ct_status status = ct_elements_create(&source->data, reader->cancel, &elements, report);
  if (status != CT_OK) {
    tell_status(reader, source, status, report);
    return false;
  }
  if (ct_max_abs(ct_sub(report->surface.box.max, report->surface.box.min)) < CT_SIZE_MIN) {
    api_fault_at(reader->faults, API_PROBLEM_OUT_OF_RANGE, source->at, "The shape is smaller than 1e-9 m.");
    ct_elements_release(elements);
    return false;
  }
  *out = elements;
  return true;
}

/* ---- decode -------------------------------------------------------------------------------------------------------------- */

static void warn(const api_reader *reader, const api_path *at, const ct_elements_report *report) {
  ct_mesh_report surface = report->surface;
  surface.unused_vertices = report->unused_vertices;
  api_warn_mesh(reader->warnings, at, &surface);
}

bool api_read_elements(api_reader *reader, const api_field *field, ct_collider *out) {
  ct_element_type type = out->shape.kind == CT_KIND_TETMESH ? CT_TETRAHEDRA : CT_HEXAHEDRA;
  const ct_element_form *elements_form = ct_element_form_of(type);
  const api_corner_form form = {type == CT_TETRAHEDRA ? "tetrahedron" : "hexahedron", elements_form->corners,
                                reader->limits->mesh_elements};
  api_field m[MEMBER_COUNT] = {[VERTICES] = {.name = "vertices", .required = true},
                               [ELEMENTS] = {.name = member_words[type], .required = true},
                               [NORMALS] = {.name = "normals"},
                               [SURFACE_IDS] = {.name = "surfaceIds"}};
  if (!api_read_object(reader, field, m, MEMBER_COUNT)) return false;
  api_elements_source source = {.data.type = type, .at = &field->path};
  ct_elements_data *data = &source.data;
  ct_vec3 *vertices, *normals;
  uint32_t *corners;
  if (!api_read_vertices(reader, &m[VERTICES], form.corners, &vertices, &data->vertex_count)) return false;
  if (!api_read_corners(reader, &m[ELEMENTS], &form, data->vertex_count, &corners, &data->element_count)) return false;
  if (!api_read_normals(reader, &m[NORMALS], data->vertex_count, &normals)) return false;
  data->vertices = vertices;
  data->normals = normals;
  data->corners = corners;
  size_t outer_most = data->element_count * elements_form->faces;
  if (!api_read_surface_ids(reader, &m[SURFACE_IDS], outer_most, &data->surface_ids, &data->surface_id_count)) return false;
  if (api_reader_cancelled(reader)) return false;
  ct_elements *elements = NULL;
  ct_elements_report report;
  if (!api_build_elements(reader, &source, &elements, &report)) return false;
  warn(reader, &field->path, &report);
  if (reader->elements_report) *reader->elements_report = report;
  out->shape = ct_shape_of_elements(elements);
  return true;
}

/* ---- encode -------------------------------------------------------------------------------------------------------------- */

void api_put_elements(api_buffer *buffer, const ct_collider *collider) {
  const ct_elements_view *view = ct_elements_get(collider->shape.elements);
  api_put_byte(buffer, '{');
  api_put_vectors(buffer, "vertices", view->vertices, view->vertex_count);
  api_put_corners(buffer, member_words[view->type], view->corners, view->form.corners, view->element_count);
  if (view->normals) api_put_vectors(buffer, "normals", view->normals, view->vertex_count);
  if (view->surface_ids) api_put_surface_ids(buffer, view->surface_ids, view->outer_count);
  api_put_byte(buffer, '}');
}
