/* How long a mesh stays apart from what it does not surround: each of its triangles by the
 * direction that tells most of it.
 *
 * A shape between the arms of a fork is not parted from all of the fork by one plane, but from each
 * arm by one. The mesh's tree is descended: of a node, and last of a triangle, the best of some
 * directions says how long it is apart from the hull of the other shape; the shortest of these
 * times counts, and a node that is apart for longer is left as it is.
 */
#include "shape/sharp_shape.h"
#include "toi/toi_relative_motion.h"

/* Along the pair's normal, and both ways along the axes of the mesh's frame. */
#define DIRECTIONS 7
/* Nodes that are looked at; where more are near, nothing is reported. */
#define NODES_MAX 2048
#define STACK_SIZE (CT_MESH_DEPTH_MAX + 2)

/* A direction from the mesh to the other shape. */
typedef struct part_direction {
  ct_vec3 local; /* in the mesh's frame */
  double low; /* how far along it the other shape begins, from the mesh's origin, less rounding */
  double speed, acceleration; /* at which that comes nearer, at most */
} part_direction;

typedef struct parts {
  const ct_mesh_view *view;
  part_direction directions[DIRECTIONS];
  double all; /* what is certain of all triangles */
} parts;

static void set_direction(part_direction *p, const ct_toi_pair *pair, const ct_toi_sample *s,
                          bool first, ct_vec3 direction) {
  const ct_toi_side *mesh = first ? &pair->a : &pair->b, *other = first ? &pair->b : &pair->a;
  const ct_toi_side_pose *at = first ? &s->a : &s->b, *there = first ? &s->b : &s->a;
  ct_relative_motion d = ct_relative_motion_of(pair, s);
  ct_vec3 velocity = first ? d.velocity : ct_neg(d.velocity),
          acceleration = first ? d.acceleration : ct_neg(d.acceleration);
  ct_vec3 offset = ct_sub(there->pivot, at->shape.position);
  double size =
      mesh->reach + other->reach + ct_norm(offset) + ct_norm(ct_sub(at->shape.position, at->pivot));
  double growth = ct_shape_sharp(mesh->shape).radius;
  p->local = ct_mat_tmul(at->shape.rotation, direction);
  p->low = ct_dot(direction, offset) - ct_toi_support(other, there, ct_neg(direction)) - growth;
  p->low -= ALONG_SLACK * CT_UNIT_ROUNDOFF * size + s->slack;
  double turning = ct_turning_speed(mesh, at, direction, mesh->arm) +
                   ct_turning_speed(other, there, direction, other->arm);
  p->speed = turning - ct_dot(direction, velocity) + d.speed_error;
  p->acceleration = d.acceleration_error - ct_dot(direction, acceleration);
}

static parts parts_of(const ct_toi_pair *pair, const ct_toi_sample *s, bool first, double all) {
  const ct_frame *frame = first ? &s->a.shape : &s->b.shape;
  parts p = {.view = ct_mesh_get((first ? &pair->a : &pair->b)->shape->mesh), .all = all};
  set_direction(&p.directions[0], pair, s, first,
                first ? s->result.normal : ct_neg(s->result.normal));
  for (int k = 0; k < 3; k++) {
    ct_vec3 axis = ct_mat_mul(frame->rotation,
                              ct_vec(k == 0 ? 1.0 : 0.0, k == 1 ? 1.0 : 0.0, k == 2 ? 1.0 : 0.0));
    set_direction(&p.directions[1 + 2 * k], pair, s, first, axis);
    set_direction(&p.directions[2 + 2 * k], pair, s, first, ct_neg(axis));
  }
  return p;
}

static double box_reach(const ct_aabb *box, ct_vec3 d) {
  return ct_dot(d,
                ct_vec(d.x >= 0.0 ? box->max.x : box->min.x, d.y >= 0.0 ? box->max.y : box->min.y,
                       d.z >= 0.0 ? box->max.z : box->min.z));
}

static double time_of(const part_direction *d, double reach) {
  return ct_gap_closing_time(d->low - reach, d->speed, d->acceleration);
}

static double node_time(const parts *p, const ct_mesh_node *node) {
  double best = p->all;
  for (int i = 0; i < DIRECTIONS; i++)
    best = ct_max2(best, time_of(&p->directions[i], box_reach(&node->box, p->directions[i].local)));
  return best;
}

static double triangle_time(const parts *p, const uint32_t corners[3]) {
  double best = p->all;
  for (int i = 0; i < DIRECTIONS; i++) {
    ct_vec3 d = p->directions[i].local;
    const ct_vec3 *v = p->view->vertices;
    double reach = ct_max2(ct_max2(ct_dot(d, v[corners[0]]), ct_dot(d, v[corners[1]])),
                           ct_dot(d, v[corners[2]]));
    best = ct_max2(best, time_of(&p->directions[i], reach));
  }
  return best;
}

/* The shortest time over all triangles; `all` where more nodes are near than are looked at, or
 * nothing is gained. */
static double shortest(const parts *p) {
  uint32_t stack[STACK_SIZE], depth = 0, nodes = 0;
  double least = INFINITY;
  stack[depth++] = 0;
  while (depth > 0) {
    const ct_mesh_node *node = &p->view->nodes[stack[--depth]];
    if (++nodes > NODES_MAX || least <= p->all) return p->all;
    if (node_time(p, node) >= least) continue;
    for (uint32_t i = node->first; i < node->first + node->count; i++)
      least = ct_min2(least, triangle_time(p, p->view->corners[i]));
    if (node->count > 0) continue;
    /* The child that may be met first is looked at first. */
    bool swap =
        node_time(p, &p->view->nodes[node->first]) > node_time(p, &p->view->nodes[node->first + 1]);
    stack[depth++] = node->first + (swap ? 0 : 1);
    stack[depth++] = node->first + (swap ? 1 : 0);
  }
  return least;
}

double ct_toi_parts_time(const ct_toi_pair *pair, const ct_toi_sample *s, double all) {
  double best = all;
  for (int k = 0; k < 2; k++) {
    const ct_toi_side *side = k == 0 ? &pair->a : &pair->b, *other = k == 0 ? &pair->b : &pair->a;
    if (!ct_kind_is_mesh(side->shape->kind) || other->reach == INFINITY) continue;
    parts p = parts_of(pair, s, k == 0, all);
    best = ct_max2(best, shortest(&p));
  }
  return best;
}
