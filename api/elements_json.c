/* Tetmeshes and hexmeshes in JSON. Elements give the caller's numbers back by themselves. */
#include "elements_json.h"

#include <contact/limits.h>

#include "mesh_arrays.h"
#include "mesh_build.h"

enum { VERTICES, ELEMENTS, NORMALS, SURFACE_IDS, MEMBER_COUNT };

static const char *const member_words[] = {[CT_TETRAHEDRA] = "tetrahedra", [CT_HEXAHEDRA] = "hexahedra"};

/* ---- faults -------------------------------------------------------------------------------------------------------------- */

/* Some corners of an element by their vertices. */
typedef struct named {
  char text[64]; /* "3, 1 and 4" */
} named;

static named name_corners(const ct_elements_data *data, uint32_t element, const uint32_t *corners, uint32_t count) {
  const uint32_t *vertex = data->corners + (size_t)element * ct_element_form_of(data->type)->corners;
  named out = {{0}};
  size_t used = 0;
  for (uint32_t k = 0; k < count && used < sizeof out.text; k++) {
    const char *before = k == 0 ? "" : k + 1 < count ? ", " : " and ";
    used += (size_t)snprintf(out.text + used, sizeof out.text - used, "%s%u", before, vertex[corners[k]]);
  }
  return out;
}

/* An element whose volume, or of a hexahedron that of one of its tetrahedra, is not above 0, which the fault tells. */
static void tell_volume(api_reader *reader, const ct_elements_data *data, const api_path *at, const ct_elements_report *r) {
  const char *what = r->fault == CT_ELEMENT_TWISTED    ? "The element is inside out in part"
                     : r->fault == CT_ELEMENT_INVERTED ? "The element is inside out"
                     : data->type == CT_HEXAHEDRA      ? "The element is flat in part"
                                                       : "The element has no volume";
  api_fault *fault;
  if (data->type == CT_HEXAHEDRA) {
    named corners = name_corners(data, r->element, r->tetrahedron, 4);
    fault = api_fault_at(reader->faults, API_PROBLEM_BAD_ELEMENT, at,
                         "%s: of the tetrahedra that it is made of, that of vertices %s has a volume of %s 0. Corners are in the "
                         "order of VTK.",
                         what, corners.text, r->tetrahedron_volume < 0.0 ? "less than" : "just");
  } else {
    fault = api_fault_at(reader->faults, API_PROBLEM_BAD_ELEMENT, at, "%s%s", what,
                         r->fault == CT_ELEMENT_INVERTED ? ": its volume is below 0. Corners are in the order of VTK."
                                                         : ": its corners lie in a plane.");
  }
  api_fault_limit(fault, 0.0, r->tetrahedron_volume);
}

/* Why an element is not taken, at the element or the corner. */
static void tell_element(api_reader *reader, const api_elements_source *source, const ct_elements_report *r) {
  const ct_elements_data *data = &source->data;
  const ct_element_form *form = ct_element_form_of(data->type);
  api_path list = api_path_member(source->at, member_words[data->type]), element = api_path_index(&list, r->element);
  api_path corner = api_path_index(&element, r->corner);
  const api_path *at = source->whole ? source->at : r->fault == CT_ELEMENT_REPEATED ? &corner : &element;
  if (r->fault == CT_ELEMENT_REPEATED) {
    api_fault_at(reader->faults, API_PROBLEM_BAD_ELEMENT, at, "The corner is in the point of an earlier one of the element.");
  } else if (r->fault == CT_ELEMENT_CROWDED || r->fault == CT_ELEMENT_ONE_SIDE) {
    named face = name_corners(data, r->element, form->face[r->face], form->face_corners);
    api_fault_at(reader->faults, API_PROBLEM_BAD_ELEMENT, at,
                 r->fault == CT_ELEMENT_CROWDED
                     ? "The face of vertices %s is that of two earlier elements, of element %u first."
                     : "The face of vertices %s is also that of the earlier element %u, which is not on its other side.",
                 face.text, r->other);
  } else {
    tell_volume(reader, data, at, r);
  }
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
  const ct_elements_data *data = &source->data;
  ct_status status = source->moved
                         ? ct_elements_move(source->moved, data->vertices, data->normals, reader->cancel, &elements, report)
                         : ct_elements_create(data, reader->cancel, &elements, report);
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
  api_warn_mesh(reader->warnings, at, &surface, NULL, NULL);
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
