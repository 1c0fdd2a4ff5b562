/* Tetmeshes, hexmeshes and elementmeshes in JSON. The numbers of the request can be reproduced from
 * the elements themselves, without a note. */
#include "shapes/elements_json.h"

#include <assert.h>

#include <contact/limits.h>

#include "shapes/mesh_arrays.h"
#include "shapes/mesh_build.h"

enum { VERTICES, ELEMENTS, NORMALS, SURFACE_IDS, MEMBER_COUNT };

static const char *const member_words[] = {
    [CT_TETRAHEDRA] = "tetrahedra", [CT_HEXAHEDRA] = "hexahedra", [CT_MIXED_ELEMENTS] = "elements"};

/* ---- faults --------------------------------------------------------------------------------- */

/* A list of vertex indices, or the name of an element, as text. */
typedef struct named {
  char text[64]; /* "3, 1 and 4" */
} named;

static const ct_element_form *form_of(const ct_elements_data *data, uint32_t element) {
  assert(element < data->element_count);
  return data->type == CT_MIXED_ELEMENTS ? ct_element_form_of_corners(data->corner_counts[element])
                                         : ct_element_form_of(data->type);
}

/* Returns the vertex indices of an element. */
static const uint32_t *vertices_of_element(const ct_elements_data *data, uint32_t element) {
  assert(element < data->element_count);
  size_t stride = data->corner_stride;
  if (stride == 0 && data->type != CT_MIXED_ELEMENTS)
    stride = ct_element_form_of(data->type)->corners;
  if (stride) return data->corners + element * stride;
  const uint32_t *first = data->corners;
  for (uint32_t e = 0; e < element; e++) first += data->corner_counts[e];
  return first;
}

static named name_corners(const ct_elements_data *data, uint32_t element, const uint32_t *corners,
                          uint32_t count) {
  const uint32_t *vertex = vertices_of_element(data, element);
  named out = {{0}};
  for (uint32_t k = 0; k < count; k++) {
    const char *before = k == 0 ? "" : k + 1 < count ? ", " : " and ";
    api_text_append(out.text, sizeof out.text, "%s%u", before, vertex[corners[k]]);
  }
  return out;
}

/* Names the element as the subject of a sentence, with its index if faults point to the whole
 * shape. */
static named name_element(const api_elements_source *source, uint32_t element) {
  named out = {"The element"};
  if (source->whole) snprintf(out.text, sizeof out.text, "Element %u", element);
  return out;
}

/* Reports an element whose volume is not above 0; for types other than tetrahedra, the volume of
 * one of the tetrahedra into which it is divided. */
static void report_element_volume(api_reader *reader, const api_elements_source *source,
                                  const api_pointer *at, const ct_elements_report *r) {
  const ct_elements_data *data = &source->data;
  named element = name_element(source, r->element);
  uint32_t corners = form_of(data, r->element)->corners;
  bool inverted = r->fault == CT_ELEMENT_INVERTED;
  const char *what = r->fault == CT_ELEMENT_TWISTED ? "is inside out in part"
                     : inverted                     ? "is inside out"
                     : corners > 4                  ? "is flat in part"
                                                    : "has no volume";
  api_fault *fault;
  if (corners > 4) {
    named four = name_corners(data, r->element, r->tetrahedron, 4);
    fault = api_fault_at(
        reader->faults, API_PROBLEM_BAD_ELEMENT, at,
        "%s %s: the tetrahedron of vertices %s, one of those into which it is divided, has a "
        "volume of %s 0. %s.",
        element.text, what, four.text, r->tetrahedron_volume < 0.0 ? "less than" : "just",
        corners == 6 && inverted
            ? "Corners 3, 4 and 5 of a wedge are on the side to which the normal of 0, 1 and "
              "2 points: exchange the two triangles"
        : corners == 6 ? "Corners 0, 1 and 2 of a wedge must run counter-clockwise seen from 3, 4 "
                         "and 5, which are above them"
                       : "List the corners in the order of VTK");
  } else {
    fault = api_fault_at(reader->faults, API_PROBLEM_BAD_ELEMENT, at, "%s %s%s", element.text, what,
                         inverted ? ": its volume is below 0. List the corners in the order of VTK."
                                  : ": its corners lie in a plane. Move one of them.");
  }
  api_fault_limit(fault, 0.0, r->tetrahedron_volume);
}

/* Reports a face that does not match the faces of other elements. */
static void report_face(api_reader *reader, const api_elements_source *source,
                        const api_pointer *at, const ct_elements_report *r) {
  const ct_elements_data *data = &source->data;
  named of = {""};
  if (source->whole) snprintf(of.text, sizeof of.text, " of element %u", r->element);
  const ct_element_form *form = form_of(data, r->element);
  named face = name_corners(data, r->element, form->face[r->face], form->face_corners[r->face]);
  const char *corners = face.text;
  if (r->fault == CT_ELEMENT_CROWDED)
    api_fault_at(reader->faults, API_PROBLEM_BAD_ELEMENT, at,
                 "The face%s of vertices %s already belongs to two earlier elements, of which the "
                 "first is element %u: a face can have only two. Remove or correct an element.",
                 of.text, corners, r->other);
  else if (r->fault == CT_ELEMENT_ONE_SIDE)
    api_fault_at(reader->faults, API_PROBLEM_BAD_ELEMENT, at,
                 "The face%s of vertices %s is also that of the earlier element %u, which is on "
                 "the same side, so that they overlap: check the vertices of both elements.",
                 of.text, corners, r->other);
  else
    api_fault_at(reader->faults, API_PROBLEM_BAD_ELEMENT, at,
                 "The %s face%s of vertices %s %s face of the earlier element %u: neighbours must "
                 "share whole faces, triangle with "
                 "triangle and quadrilateral with quadrilateral.",
                 form->face_corners[r->face] == 3 ? "triangular" : "quadrilateral", of.text,
                 corners,
                 form->face_corners[r->face] == 3 ? "covers half of a quadrilateral"
                                                  : "is half covered by a triangular",
                 r->other);
}

/* Reports why an element is rejected: at the element or its vertex; if source->whole, at the whole
 * shape. */
static void report_element_fault(api_reader *reader, const api_elements_source *source,
                                 const ct_elements_report *r) {
  const ct_elements_data *data = &source->data;
  api_pointer list = api_pointer_member(source->at, member_words[data->type]),
              element = api_pointer_index(&list, r->element);
  api_pointer corner = api_pointer_index(&element, r->corner);
  const api_pointer *at = source->whole                     ? source->at
                          : r->fault == CT_ELEMENT_REPEATED ? &corner
                                                            : &element;
  if (r->fault == CT_ELEMENT_REPEATED) {
    if (source->whole)
      api_fault_at(reader->faults, API_PROBLEM_BAD_ELEMENT, at,
                   "Corner %u of element %u is at the same point as an earlier corner of the "
                   "element: move one of them.",
                   r->corner, r->element);
    else
      api_fault_at(
          reader->faults, API_PROBLEM_BAD_ELEMENT, at,
          "The corner is at the same point as an earlier corner of the element: move one of them.");
  } else if (r->fault == CT_ELEMENT_CROWDED || r->fault == CT_ELEMENT_ONE_SIDE ||
             r->fault == CT_ELEMENT_SPLIT) {
    report_face(reader, source, at, r);
  } else {
    report_element_volume(reader, source, at, r);
  }
}

static void report_elements_status(api_reader *reader, const api_elements_source *source,
                                   ct_status status, const ct_elements_report *r) {
  const ct_elements_data *data = &source->data;
  api_pointer ids = api_pointer_member(source->at, "surfaceIds");
  if (status == CT_OUT_OF_MEMORY) {
    api_fault_memory(reader->faults);
  } else if (status == CT_CANCELLED) {
    api_fault_cancelled(reader->faults);
  } else if (status != CT_BAD_ELEMENT) {
    api_fault_at(reader->faults, API_PROBLEM_LIMIT_EXCEEDED, source->at, "%s.",
                 ct_status_text(status));
  } else if (r->fault == CT_ELEMENT_IDS) {
    api_fault *fault = api_fault_at(reader->faults, API_PROBLEM_WRONG_TYPE, &ids,
                                    "surfaceIds needs one entry per outer face (%u), got %zu.",
                                    r->outer_faces, data->surface_id_count);
    api_fault_limit(fault, r->outer_faces, (double)data->surface_id_count);
  } else if (r->fault == CT_ELEMENT_OPEN) {
    api_fault_at(reader->faults, API_PROBLEM_BAD_ELEMENT, source->at,
                 "The outer faces of the elements enclose no solid: check vertices and elements.");
  } else {
    report_element_fault(reader, source, r);
  }
}

ct_element_type api_elements_type(ct_kind kind) {
  return kind == CT_KIND_TETMESH   ? CT_TETRAHEDRA
         : kind == CT_KIND_HEXMESH ? CT_HEXAHEDRA
                                   : CT_MIXED_ELEMENTS;
}

bool api_build_elements(api_reader *reader, const api_elements_source *source, ct_elements **out,
                        ct_elements_report *report) {
  ct_elements *elements = NULL;
  *report = (ct_elements_report){.element = CT_NO_ELEMENT};
  const ct_elements_data *data = &source->data;
  ct_status status = source->moved ? ct_elements_move(source->moved, data->vertices, data->normals,
                                                      reader->cancel, &elements, report)
                                   : ct_elements_create(data, reader->cancel, &elements, report);
  if (status != CT_OK) {
    report_elements_status(reader, source, status, report);
    return false;
  }
  if (ct_max_abs(ct_sub(report->surface.box.max, report->surface.box.min)) < CT_SIZE_MIN) {
    api_fault_at(
        reader->faults, API_PROBLEM_OUT_OF_RANGE, source->at,
        "The shape is smaller than 1e-9 m, the least size: enlarge it, or check the unit.");
    ct_elements_release(elements);
    return false;
  }
  *out = elements;
  return true;
}

/* ---- decode --------------------------------------------------------------------------------- */

static void warn(const api_reader *reader, const api_pointer *at,
                 const ct_elements_report *report) {
  ct_mesh_report surface = report->surface;
  surface.unused_vertices = report->unused_vertices;
  api_warn_mesh(reader->warnings, at, &surface, NULL, NULL);
}

static bool read_mixed(api_reader *reader, const api_field *field, ct_elements_data *data) {
  api_mixed_corners mixed = {0};
  const size_t most = reader->limits->mesh_elements;
  if (!api_read_mixed_corners(reader, field, most, data->vertex_count, &mixed)) return false;
  data->corners = mixed.corners;
  data->corner_counts = mixed.counts;
  data->element_count = mixed.count;
  return true;
}

/* Reads the list of elements, each an array of vertex indices. */
static bool read_element_corners(api_reader *reader, const api_field *field,
                                 ct_elements_data *data) {
  if (data->type == CT_MIXED_ELEMENTS) return read_mixed(reader, field, data);
  const api_corner_form form = {data->type == CT_TETRAHEDRA ? "tetrahedron" : "hexahedron",
                                ct_element_form_of(data->type)->corners,
                                reader->limits->mesh_elements};
  uint32_t *corners;
  if (!api_read_corners(reader, field, &form, data->vertex_count, &corners, &data->element_count))
    return false;
  data->corners = corners;
  return true;
}

bool api_read_elements(api_reader *reader, const api_field *field, ct_collider *out) {
  ct_element_type type = api_elements_type(out->shape.kind);
  api_field m[MEMBER_COUNT] = {[VERTICES] = {.name = "vertices", .required = true},
                               [ELEMENTS] = {.name = member_words[type], .required = true},
                               [NORMALS] = {.name = "normals"},
                               [SURFACE_IDS] = {.name = "surfaceIds"}};
  if (!api_read_object(reader, field, m, MEMBER_COUNT)) return false;
  api_elements_source source = {.data.type = type, .at = &field->path};
  ct_elements_data *data = &source.data;
  ct_vec3 *vertices, *normals;
  size_t least = type == CT_HEXAHEDRA ? 8 : 4;
  if (!api_read_vertices(reader, &m[VERTICES], least, &vertices, &data->vertex_count)) return false;
  if (!read_element_corners(reader, &m[ELEMENTS], data)) return false;
  if (!api_read_normals(reader, &m[NORMALS], data->vertex_count, &normals)) return false;
  data->vertices = vertices;
  data->normals = normals;
  /* The greatest number is sufficient here: the exact number of ids is checked once the outer faces
   * are known. */
  size_t outer_most = reader->limits->mesh_elements * ct_element_form_of(type)->faces;
  if (!api_read_surface_ids(reader, &m[SURFACE_IDS], outer_most, &data->surface_ids,
                            &data->surface_id_count))
    return false;
  if (api_reader_cancelled(reader)) return false;
  ct_elements *elements = NULL;
  ct_elements_report report;
  if (!api_build_elements(reader, &source, &elements, &report)) return false;
  warn(reader, &field->path, &report);
  if (reader->elements_report) *reader->elements_report = report;
  out->shape = ct_shape_of_elements(elements);
  return true;
}

/* ---- encode --------------------------------------------------------------------------------- */

void api_put_elements(api_buffer *buffer, const ct_collider *collider) {
  const ct_elements_view *view = ct_elements_get(collider->shape.elements);
  api_put_byte(buffer, '{');
  api_put_vectors(buffer, "vertices", view->vertices, view->vertex_count);
  api_put_mixed_corners(buffer, member_words[view->type], view->corners, view->corner_counts,
                        view->corner_stride, view->element_count);
  if (view->normals) api_put_vectors(buffer, "normals", view->normals, view->vertex_count);
  if (view->surface_ids) api_put_surface_ids(buffer, view->surface_ids, view->outer_count);
  api_put_byte(buffer, '}');
}
