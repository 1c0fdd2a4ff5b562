/* Whole faces of a solid: connected, exactly coplanar triangles, for weights by squared face
 * areas. */
#include "volume/volume_mesh.h"

#include "base/predicates.h"
#include "mesh_pairs/mesh_tree_pairs.h"

#define USED (-INFINITY)

static void store_part_area(void *context, int side, const ct_arrangement_part *part) {
  ct_arrangement *o = context;
  (void)side;
  if (ct_arrangement_part_is_significant(o, part))
    o->memory->face_area[part->triangle] = part->area - part->shared;
}

static bool are_triangles_coplanar(const ct_mesh_view *view, uint32_t triangle, uint32_t other) {
  ct_triangle t = ct_mesh_triangle(view, triangle), u = ct_mesh_triangle(view, other);
  for (int k = 0; k < 3; k++)
    if (ct_orient3d(t.v[0], t.v[1], t.v[2], u.v[k]) != 0) return false;
  return ct_dot(ct_triangle_cross(&t), ct_triangle_cross(&u)) > 0.0;
}

/* Total area of the face of a mesh that contains a triangle: flood fill; each triangle is used
 * once. */
static double sum_mesh_face_area(ct_arrangement *o, int side, uint32_t from) {
  const ct_mesh_view *view = o->skin[side].view;
  uint32_t *stack = o->memory->side[side].stack;
  double *area = o->memory->face_area, sum = area[from];
  size_t top = 0;
  stack[top++] = from;
  area[from] = USED;
  while (top > 0) {
    uint32_t t = stack[--top];
    for (int k = 0; k < 3; k++) {
      uint32_t next = view->across[t][k];
      if (next == CT_NO_TRIANGLE || area[next] == USED || !are_triangles_coplanar(view, from, next))
        continue;
      sum += area[next];
      area[next] = USED;
      stack[top++] = next;
    }
  }
  return sum;
}

/* Total area of the face of a hull or box: its triangles are consecutive. */
static double sum_hull_face_area(ct_arrangement *o, int side, uint32_t from) {
  const ct_placed_surface *skin = &o->skin[side];
  double *area = o->memory->face_area, sum = 0.0;
  for (uint32_t t = from; t < skin->triangle_count && skin->faces[t] == skin->faces[from]; t++) {
    sum += area[t];
    area[t] = USED;
  }
  return sum;
}

bool ct_arrangement_faces(ct_arrangement *o, int side, ct_vec3 *sum) {
  ct_arrangement_scratch *m = o->memory;
  const ct_placed_surface *skin = &o->skin[side];
  if (!ct_arrangement_reserve(m, &m->face_area, sizeof *m->face_area, &m->face_area_room,
                              skin->triangle_count))
    return false;
  for (uint32_t t = 0; t < skin->triangle_count; t++) m->face_area[t] = 0.0;
  ct_arrangement_visit_parts(o, side, store_part_area, o);
  *sum = ct_vec(0.0, 0.0, 0.0);
  for (uint32_t t = 0; t < skin->triangle_count; t++) {
    if (m->face_area[t] == 0.0 || m->face_area[t] == USED) continue;
    ct_arrangement_part whole = ct_arrangement_whole(o, side, t, 1);
    double area = skin->view ? sum_mesh_face_area(o, side, t) : sum_hull_face_area(o, side, t);
    *sum = ct_add_scaled(*sum, whole.normal, area * area);
  }
  return true;
}
