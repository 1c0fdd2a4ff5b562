/* Stages of an intersection: closest point, inner point, dual points, dual hull, and the
 * intersection's vertices and faces. */
#include "results/intersection_stages_json.h"

#include "results/result_json.h"

void api_put_owner(api_buffer *buffer, ct_volume_owner owner, uint32_t face_a, uint32_t face_b) {
  static const char *const owners[] = {
      [CT_OWNER_A] = "a", [CT_OWNER_B] = "b", [CT_OWNER_SHARED] = "shared"};
  api_put_member_string(buffer, "owner", api_text(owners[owner]));
  if (face_a != CT_NO_FACE) api_put_member_unsigned(buffer, "faceA", face_a);
  if (face_b != CT_NO_FACE) api_put_member_unsigned(buffer, "faceB", face_b);
}

static void put_stage_indices(api_buffer *buffer, const uint32_t *indices, uint32_t count) {
  api_put_byte(buffer, '[');
  for (uint32_t i = 0; i < count; i++) {
    api_put_item(buffer);
    api_put_unsigned(buffer, indices[i]);
  }
  api_put_byte(buffer, ']');
}

static void put_points(api_buffer *buffer, const ct_dual_point *points, uint32_t count) {
  api_put_key(buffer, "dualPoints");
  api_put_byte(buffer, '[');
  for (uint32_t i = 0; i < count; i++) {
    api_put_item(buffer);
    api_put_byte(buffer, '{');
    api_put_member_vec3(buffer, "point", points[i].point);
    api_put_owner(buffer, points[i].owner, points[i].face_a, points[i].face_b);
    api_put_member_bool(buffer, "onHull", points[i].on_hull);
    api_put_byte(buffer, '}');
  }
  api_put_byte(buffer, ']');
}

static void put_dual_hull(api_buffer *buffer, const ct_volume *list, const ct_volume_stages *s) {
  const ct_stage_vertex *vertices = list->stage_vertices + s->first_vertex;
  api_put_key(buffer, "dualHull");
  api_put_byte(buffer, '[');
  for (uint32_t i = 0; i < s->vertex_count; i++) {
    api_put_item(buffer);
    put_stage_indices(buffer, list->stage_indices + vertices[i].first_index,
                      vertices[i].index_count);
  }
  api_put_byte(buffer, ']');
  api_put_key(buffer, "vertices");
  api_put_byte(buffer, '[');
  for (uint32_t i = 0; i < s->vertex_count; i++) {
    api_put_item(buffer);
    api_put_vec3(buffer, vertices[i].position);
  }
  api_put_byte(buffer, ']');
}

static void put_stage_faces(api_buffer *buffer, const ct_volume *list, const ct_volume_stages *s) {
  api_put_key(buffer, "faces");
  api_put_byte(buffer, '[');
  for (uint32_t i = 0; i < s->face_count; i++) {
    const ct_stage_face *face = &list->stage_faces[s->first_face + i];
    api_put_item(buffer);
    api_put_byte(buffer, '{');
    api_put_owner(buffer, face->owner, face->face_a, face->face_b);
    api_put_member_vec3(buffer, "normal", face->normal);
    api_put_member_number(buffer, "offset", face->offset);
    api_put_member_unsigned(buffer, "dualPoint", face->point);
    api_put_key(buffer, "vertices");
    put_stage_indices(buffer, list->stage_indices + face->first_index, face->index_count);
    api_put_byte(buffer, '}');
  }
  api_put_byte(buffer, ']');
}

void api_put_stages(api_buffer *buffer, const ct_volume_contact *contact, const ct_volume *list) {
  const ct_volume_stages *s = &contact->stages;
  api_put_key(buffer, "stages");
  api_put_byte(buffer, '{');
  if (s->has_start) {
    api_put_member_vec3(buffer, "closestPoint", s->start);
    api_put_member_vec3(buffer, "refinedPoint", contact->inner);
  }
  api_put_member_vec3(buffer, "innerPoint", contact->inner);
  api_put_member_number(buffer, "margin", contact->margin);
  put_points(buffer, list->points + s->first_point, s->point_count);
  put_dual_hull(buffer, list, s);
  put_stage_faces(buffer, list, s);
  api_put_byte(buffer, '}');
}
