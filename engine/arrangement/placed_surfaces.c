/* Surfaces of solids as triangles in the arrangement's frame, and the memory of the arrangement. */
#include "arrangement/arrangement.h"

#include "base/array.h"
#include "base/predicates.h"
#include "mesh_pairs/mesh_tree_pairs.h"

#include <stdlib.h>

/* Round-off of the transformation of a node's centre and half extents, in u of the sum of the
 * mesh's extent and offset; as in mesh_tree_pairs.c. */
#define PLACE_ROUNDOFFS 128.0

static void release_arrangement_part(void *part) {
  ct_arrangement_scratch *m = part;
  for (int k = 0; k < 2; k++) {
    free(m->side[k].winding);
    free(m->side[k].slot);
    free(m->side[k].stack);
    free(m->side[k].part);
    free(m->side[k].crossing);
  }
  free(m->segment);
  free(m->coplanar);
  free(m->placed);
  free(m->own_vertex);
  free(m->own_corner);
  free(m->own_face);
  free(m->face_area);
  free(m->border);
  ct_trapezoid_scratch_free(&m->pieces);
}

const ct_workspace_part_type ct_arrangement_part_type = {
    sizeof(ct_arrangement_scratch), offsetof(ct_arrangement_scratch, out_of_memory),
    release_arrangement_part};
_Static_assert(sizeof(ct_arrangement_scratch) <= CT_WORKSPACE_PART_MAX, "the part fits its slot");

bool ct_arrangement_reserve(ct_arrangement_scratch *m, void *array, size_t item, size_t *room,
                            size_t count) {
  bool reserved = ct_array_reserve(array, room, count, item);
  if (!reserved) m->out_of_memory = true;
  return reserved;
}

static ct_vec3 flush_denormals(ct_vec3 p) {
  return ct_vec(ct_exact_flush(p.x), ct_exact_flush(p.y), ct_exact_flush(p.z));
}

static ct_vec3 place_vertex(const ct_frame *frame, ct_vec3 p) {
  return flush_denormals(frame ? ct_to_parent(*frame, p) : p);
}

static void find_surface_box(ct_placed_surface *surface) {
  surface->box = ct_aabb_empty();
  for (uint32_t t = 0; t < surface->triangle_count; t++) {
    ct_vec3 v[3];
    ct_placed_surface_triangle(surface, t, v);
    surface->box = ct_aabb_union(surface->box, ct_triangle_aabb(v));
  }
}

bool ct_placed_surface_of_mesh(ct_placed_surface *surface, ct_arrangement_scratch *m,
                               const ct_mesh *mesh, const ct_frame *frame) {
  const ct_mesh_view *view = ct_mesh_get(mesh);
  /* In its own frame the mesh is used without a copy. */
  *surface = (ct_placed_surface){.vertices = view->vertices,
                                 .corners = view->corners,
                                 .across = view->across,
                                 .vertex_count = view->vertex_count,
                                 .triangle_count = view->live_count,
                                 .view = view,
                                 .frame = ct_frame_of(ct_pose_identity())};
  /* In another frame the vertices are transformed. The tree is not: its boxes are transformed when
   * they are visited, with round-off `slack`. */
  if (frame) {
    if (!ct_arrangement_reserve(m, &m->placed, sizeof *m->placed, &m->placed_room,
                                view->vertex_count))
      return false;
    for (uint32_t v = 0; v < view->vertex_count; v++)
      m->placed[v] = flush_denormals(ct_to_parent(*frame, view->vertices[v]));
    surface->vertices = m->placed;
    surface->frame = *frame;
    surface->slack =
        PLACE_ROUNDOFFS * CT_UNIT_ROUNDOFF * (ct_mesh_extent(view) + ct_norm(frame->position));
  }
  surface->size = ct_mat_abs(surface->frame.rotation);
  find_surface_box(surface);
  return true;
}

/* Reserves room for the surface of a solid that is no mesh and is triangulated in this file. */
static bool reserve_own_surface(ct_placed_surface *surface, ct_arrangement_scratch *m,
                                uint32_t vertices, uint32_t triangles) {
  if (!ct_arrangement_reserve(m, &m->own_vertex, sizeof *m->own_vertex, &m->own_vertex_room,
                              vertices) ||
      !ct_arrangement_reserve(m, &m->own_corner, sizeof *m->own_corner, &m->own_corner_room,
                              triangles) ||
      !ct_arrangement_reserve(m, &m->own_face, sizeof *m->own_face, &m->own_face_room, triangles))
    return false;
  *surface = (ct_placed_surface){.vertices = m->own_vertex,
                                 .corners = (const uint32_t(*)[3])m->own_corner,
                                 .faces = m->own_face,
                                 .vertex_count = vertices,
                                 .triangle_count = triangles};
  return true;
}

bool ct_placed_surface_of_hull(ct_placed_surface *surface, ct_arrangement_scratch *m,
                               const ct_hull *hull, const ct_frame *frame) {
  const ct_hull_view *view = ct_hull_get(hull);
  uint32_t triangles = 2 * view->vertex_count - 4;
  if (!reserve_own_surface(surface, m, view->vertex_count, triangles)) return false;
  for (uint32_t v = 0; v < view->vertex_count; v++)
    m->own_vertex[v] = place_vertex(frame, ct_vec(view->x[v], view->y[v], view->z[v]));
  uint32_t at = 0;
  for (uint32_t f = 0; f < view->face_count; f++) {
    const uint32_t *loop = view->face_loop + view->face_start[f];
    uint32_t count = view->face_start[f + 1] - view->face_start[f];
    for (uint32_t k = 2; k < count; k++, at++) {
      m->own_corner[at][0] = loop[0];
      m->own_corner[at][1] = loop[k - 1];
      m->own_corner[at][2] = loop[k];
      m->own_face[at] = f;
    }
  }
  surface->triangle_count = at;
  find_surface_box(surface);
  return true;
}

bool ct_placed_surface_of_box(ct_placed_surface *surface, ct_arrangement_scratch *m, ct_vec3 half,
                              const ct_frame *frame) {
  /* Bits 0, 1, 2 of i are set if vertex i is on the +x, +y, +z side; quadrilaterals are
   * counter-clockwise from outside. */
  static const uint32_t quad[6][4] = {{1, 3, 7, 5}, {0, 4, 6, 2}, {2, 6, 7, 3},
                                      {0, 1, 5, 4}, {4, 5, 7, 6}, {0, 2, 3, 1}};
  if (!reserve_own_surface(surface, m, 8, 12)) return false;
  for (uint32_t v = 0; v < 8; v++) {
    ct_vec3 p =
        ct_vec(v & 1 ? half.x : -half.x, v & 2 ? half.y : -half.y, v & 4 ? half.z : -half.z);
    m->own_vertex[v] = place_vertex(frame, p);
  }
  for (uint32_t t = 0; t < 12; t++) {
    const uint32_t *q = quad[t / 2];
    m->own_corner[t][0] = q[0];
    m->own_corner[t][1] = q[t % 2 ? 2 : 1];
    m->own_corner[t][2] = q[t % 2 ? 3 : 2];
    m->own_face[t] = t / 2;
  }
  find_surface_box(surface);
  return true;
}
