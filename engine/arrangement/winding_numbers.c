/* How often the other solid winds around vertices: from neighbour to neighbour, and by a ray where
 * nothing is known yet.
 *
 * The ray goes up along z from a point, after the move: it meets no edge and no vertex. As in
 * mesh_contains.c.
 */
#include "arrangement/arrangement.h"

#include "base/predicates.h"

#include <assert.h>

#define STACK_SIZE (CT_MESH_DEPTH_MAX + 4)
#define RAY_STEPS 64
#define TRIANGLE_STEPS 2

static ct_vec2 from_above(ct_vec3 p) { return (ct_vec2){p.x, p.y}; }

/* On which side of a to b is p, that moves by way (e, e^2), seen from above? 0 only where a and b
 * are one point there. */
static int side_from_above(ct_vec3 a, ct_vec3 b, ct_vec3 p, int way) {
  int side = ct_orient2d(from_above(a), from_above(b), from_above(p));
  if (side != 0) return side;
  if (a.y != b.y) return a.y > b.y ? way : -way;
  return way * ((b.x > a.x) - (b.x < a.x));
}

/* +1: the ray comes out of the triangle's front; -1: it goes in there; 0: it does not meet it. */
static int crossing(const ct_vec3 t[3], ct_vec3 p, int mover) {
  int way = mover == 1 ? -1 : 1;
  int side = side_from_above(t[0], t[1], p, way);
  if (side == 0 || side_from_above(t[1], t[2], p, way) != side ||
      side_from_above(t[2], t[0], p, way) != side)
    return 0;
  return ct_perturbed_orient3d(t, p, mover) == -side ? side : 0;
}

/* Does the box reach up to p's ray? */
static bool above(const ct_aabb *box, ct_vec3 p) {
  return box->min.x <= p.x && p.x <= box->max.x && box->min.y <= p.y && p.y <= box->max.y &&
         p.z <= box->max.z;
}

static int crossing_of(const ct_placed_surface *skin, uint32_t triangle, ct_vec3 p, int mover) {
  ct_vec3 t[3];
  ct_placed_surface_triangle(skin, triangle, t);
  ct_aabb box = ct_triangle_aabb(t);
  return above(&box, p) ? crossing(t, p, mover) : 0;
}

/* A node's box in the overlay's frame. */
static ct_aabb node_box(const ct_placed_surface *skin, const ct_mesh_node *n) {
  if (skin->slack == 0.0) return n->box;
  ct_vec3 middle = ct_to_parent(skin->frame, ct_scale(ct_add(n->box.min, n->box.max), 0.5));
  ct_vec3 half = ct_mat_mul(skin->size, ct_scale(ct_sub(n->box.max, n->box.min), 0.5));
  return ct_aabb_expand((ct_aabb){ct_sub(middle, half), ct_add(middle, half)}, skin->slack);
}

/* How often a solid winds around a point of the other one. */
static int32_t winding_of(const ct_placed_surface *skin, ct_vec3 p, int mover) {
  int32_t winding = 0;
  if (!above(&skin->box, p) || p.z < skin->box.min.z) return 0;
  if (!skin->view) {
    for (uint32_t t = 0; t < skin->triangle_count; t++) winding += crossing_of(skin, t, p, mover);
    return winding;
  }
  uint32_t stack[STACK_SIZE];
  int top = 0;
  stack[top++] = 0;
  while (top > 0) {
    const ct_mesh_node *n = &skin->view->nodes[stack[--top]];
    ct_aabb box = node_box(skin, n);
    if (!above(&box, p)) continue;
    assert(top + 2 <= STACK_SIZE);
    for (uint32_t k = 0; k < 2 && n->count == 0; k++) stack[top++] = n->first + k;
    for (uint32_t i = n->first; i < n->first + n->count; i++)
      winding += crossing_of(skin, i, p, mover);
  }
  return winding;
}

/* What the winding changes by along an edge of a triangle. */
static int32_t jump_along(const ct_arrangement_side *s, uint32_t triangle, int edge) {
  if (s->slot[triangle] >= CT_ARRANGEMENT_SEEN) return 0;
  const ct_arrangement_part *part = &s->part[s->slot[triangle]];
  int32_t jump = 0;
  for (uint32_t i = 0; i < part->passing_count; i++) {
    const ct_surface_crossing *p = &s->passing[part->first_passing + i];
    if (p->edge == edge) jump += p->jump;
  }
  return jump;
}

/* From a corner that is known to the others, and back to it. */
static void wind_corners(ct_arrangement *o, int side, uint32_t triangle) {
  ct_arrangement_side *s = &o->memory->side[side];
  const uint32_t *corner = o->skin[side].corners[triangle];
  int known = 0;
  while (known < 2 && s->winding[corner[known]] == CT_ARRANGEMENT_UNKNOWN) known++;
  for (int step = 0; step < 3; step++) {
    int k = (known + step) % 3, next = (k + 1) % 3;
    int32_t there = s->winding[corner[k]] + jump_along(s, triangle, k);
    if (s->winding[corner[next]] == CT_ARRANGEMENT_UNKNOWN) s->winding[corner[next]] = there;
    else if (s->winding[corner[next]] != there) o->sound = false;
  }
}

static bool is_seen(const ct_arrangement_side *s, uint32_t triangle) {
  uint32_t slot = s->slot[triangle];
  return slot == CT_ARRANGEMENT_SEEN || (slot < CT_ARRANGEMENT_SEEN && s->part[slot].seen);
}

static void see(ct_arrangement_side *s, uint32_t triangle) {
  uint32_t slot = s->slot[triangle];
  if (slot < CT_ARRANGEMENT_SEEN) s->part[slot].seen = true;
  else s->slot[triangle] = CT_ARRANGEMENT_SEEN;
}

static bool may_be_inside(const ct_arrangement *o, int side, uint32_t triangle) {
  ct_vec3 v[3];
  ct_placed_surface_triangle(&o->skin[side], triangle, v);
  ct_aabb box = ct_triangle_aabb(v);
  return ct_aabb_overlap(&box, &o->common);
}

/* All that hangs together with a triangle and may be inside. */
static bool flood(ct_arrangement *o, int side, uint32_t from) {
  ct_arrangement_side *s = &o->memory->side[side];
  const ct_placed_surface *skin = &o->skin[side];
  size_t top = 0;
  s->stack[top++] = from;
  while (top > 0) {
    uint32_t t = s->stack[--top];
    if (ct_mesh_is_cancelled(o->flag, TRIANGLE_STEPS)) return false;
    wind_corners(o, side, t);
    for (int k = 0; k < 3 && skin->across; k++) {
      uint32_t next = skin->across[t][k];
      if (next == CT_NO_TRIANGLE || is_seen(s, next) || !may_be_inside(o, side, next)) continue;
      see(s, next);
      s->stack[top++] = next;
    }
  }
  return true;
}

bool ct_arrangement_find_winding(ct_arrangement *o, int side) {
  ct_arrangement_side *s = &o->memory->side[side];
  const ct_placed_surface *skin = &o->skin[side];
  for (uint32_t t = 0; t < skin->triangle_count; t++) {
    if (is_seen(s, t) || !may_be_inside(o, side, t)) continue;
    const uint32_t *corner = skin->corners[t];
    bool known = false;
    for (int k = 0; k < 3; k++) known = known || s->winding[corner[k]] != CT_ARRANGEMENT_UNKNOWN;
    if (!known) {
      if (ct_mesh_is_cancelled(o->flag, RAY_STEPS)) return false;
      s->winding[corner[0]] = winding_of(&o->skin[1 - side], skin->vertices[corner[0]], 1 - side);
    }
    see(s, t);
    if (!flood(o, side, t)) return false;
  }
  return true;
}
