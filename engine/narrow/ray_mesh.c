/* A ray and a mesh: the triangles that it meets, those around one edge or vertex as one crossing.
 *
 * The mesh decides by exact signs which triangles are met; what is joined here is met at one distance to round-off. A triangle that
 * the ray runs in is no way through: a solid is entered and left by others at the ends of its face, and an open mesh is met where
 * the ray comes to such triangles from none. Where the ray
 * goes in and comes out at one distance, as where it touches a ridge, there are both crossings. A mesh in a ball is walked up to by
 * the distance from it.
 */
#include "narrow/ray_local.h"
#include "narrow/workspace.h"

#include <contact/limits.h>

#include <stdlib.h>

/* Distances of a shared edge's triangles differ by less, in u of the mesh's size. */
#define SAME_ROUNDOFFS 64.0
/* An origin farther from the mesh's ball than this many radii is moved up to it. A nearer one stays, so that what the ray meets
 * exactly, as a corner that it touches, is met; but of a mesh in a ball the surface is walked up to from there. */
#define FAR_RADII 16.0
/* Steps to and along the surface of a mesh in a ball, for one ray. */
#define STEPS_MAX 4096

typedef struct mesh_ray {
  const ct_mesh *mesh;
  ct_vec3 origin, direction; /* local */
  double before;             /* parameter of that origin on the world's line */
  double t_max, same, end;   /* end: where the ray is past the mesh's ball */
  double length;             /* of the world's direction */
} mesh_ray;

static mesh_ray look_at(const ct_ray *ray, ct_placed shape, const ct_local_ray *local) {
  mesh_ray m = {.mesh = shape.shape->mesh, .direction = local->line.d, .length = local->length};
  ct_line_span ball = {0.0, 0.0, {0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
  ct_line from = {ct_sub(local->line.o, local->middle), local->line.d};
  double unit = SAME_ROUNDOFFS * CT_UNIT_ROUNDOFF, wide = local->radius * (1.0 + 0x1p-20);
  ct_line_ball(&from, 0.0, wide, &ball);
  m.before = local->start + ball.in;
  m.origin = ct_add_scaled(local->line.o, local->line.d, ball.in);
  bool bare = shape.shape->rounding + shape.shape->margin == 0.0;
  if (!(m.before * local->length > (bare ? FAR_RADII * local->radius : 0.0))) {
    m.before = 0.0;
    m.origin = ct_to_local(*shape.frame, ray->origin);
  }
  m.end = local->start + ball.out - m.before;
  m.same = unit * (local->radius + ct_max_abs(m.origin)) / local->length;
  m.t_max = ct_max2(ray->reach / local->length - m.before, 0.0) * (1.0 + unit) + m.same;
  return m;
}

/* The hits as far as t_max, in the workspace; SIZE_MAX: out of memory. */
static size_t gather(const mesh_ray *m, double t_max, ct_workspace *workspace) {
  ct_ray_memory *memory = &workspace->ray;
  size_t count = ct_mesh_ray_all(m->mesh, m->origin, m->direction, t_max, memory->hits, memory->capacity);
  if (count <= memory->capacity) return count;
  ct_mesh_hit *hits = realloc(memory->hits, 2 * count * sizeof *hits);
  if (!hits) return SIZE_MAX;
  memory->hits = hits;
  memory->capacity = 2 * count;
  return ct_mesh_ray_all(m->mesh, m->origin, m->direction, t_max, memory->hits, memory->capacity);
}

/* Where crossings go. */
typedef struct crossing_list {
  ct_ray_crossing *out;
  size_t room, count;
  bool entering, limited; /* of what is put next */
} crossing_list;

static void add(crossing_list *list, const ct_ray_crossing *c) {
  if (list->count < list->room) list->out[list->count] = *c;
  list->count++;
}

static void put(const ct_ray *ray, ct_placed shape, const mesh_ray *m, const ct_mesh_hit *hit, crossing_list *list) {
  ct_ray_crossing c;
  if (!ct_ray_crossing_at(ray, shape.frame, (m->before + hit->t) * m->length, hit->point, &c)) return;
  ct_ray_crossing_normal(shape.frame, ct_mesh_normal(m->mesh, hit->triangle), &c);
  c.entering = hit->side >= 0;
  c.triangle = hit->triangle;
  add(list, &c);
}

/* Where a ray leaves a triangle that it runs in. */
static double end_in_plane(const mesh_ray *m, uint32_t triangle) {
  const ct_mesh_view *view = ct_mesh_get(m->mesh);
  ct_vec3 side = ct_cross(ct_mesh_normal(m->mesh, triangle), m->direction);
  double along[3], aside[3], length2 = ct_norm2(m->direction), end = 0.0;
  for (int k = 0; k < 3; k++) {
    ct_vec3 from = ct_sub(view->vertices[view->triangles[triangle][k]], m->origin);
    along[k] = ct_dot(from, m->direction) / length2;
    aside[k] = ct_dot(from, side);
  }
  for (int k = 0; k < 3; k++) {
    int next = (k + 1) % 3;
    if (fabs(aside[k]) <= m->same * length2) end = ct_max2(end, along[k]);
    if (aside[k] * aside[next] >= 0.0) continue;
    end = ct_max2(end, along[k] + (along[next] - along[k]) * (aside[k] / (aside[k] - aside[next])));
  }
  return end;
}

/* Joins what is met at one distance. */
static void put_hits(const ct_ray *ray, ct_placed shape, const mesh_ray *m, size_t count, const ct_mesh_hit *hits,
                     crossing_list *list) {
  double covered = -INFINITY; /* how far triangles reach that the ray runs in */
  bool solid = ct_mesh_get(m->mesh)->solid;
  for (size_t i = 0, end; i < count; i = end) {
    const ct_mesh_hit *in = NULL, *back = NULL;
    double before = covered;
    for (end = i; end < count && hits[end].t <= hits[i].t + m->same; end++) {
      if (hits[end].side > 0 && !in) in = &hits[end];
      if (hits[end].side < 0 && !back) back = &hits[end];
      if (hits[end].side == 0 && !solid) covered = ct_max2(covered, end_in_plane(m, hits[end].triangle));
    }
    if (!in && !back && !solid && hits[i].t > before + m->same) in = &hits[i];
    if (in) put(ray, shape, m, in, list);
    if (back) put(ray, shape, m, back, list);
  }
}

/* ---- a mesh in a ball ---- */

/* A place on the line: how far from the surface it is, negative within, and the foot. */
typedef struct place {
  double s, height;
  ct_vec3 point, out;
  uint32_t triangle;
} place;

static place place_at(const mesh_ray *m, double growth, double s) {
  place at = {.s = s, .point = ct_add_scaled(m->origin, m->direction, s)};
  ct_mesh_foot foot = {.distance = INFINITY};
  ct_mesh_nearest(m->mesh, at.point, INFINITY, &foot);
  bool inside = ct_mesh_contains(m->mesh, at.point);
  at.height = (inside ? -foot.distance : foot.distance) - growth;
  at.out = inside ? ct_sub(foot.point, at.point) : ct_sub(at.point, foot.point);
  at.triangle = foot.triangle;
  return at;
}

static void put_place(const ct_ray *ray, ct_placed shape, const mesh_ray *m, const place *at, crossing_list *list) {
  ct_ray_crossing c;
  if (!ct_ray_crossing_at(ray, shape.frame, (m->before + at->s) * m->length, at->point, &c)) return;
  ct_ray_crossing_normal(shape.frame, at->out, &c);
  c.triangle = at->triangle;
  c.entering = list->entering;
  c.status = list->limited ? CT_PAIR_ITERATION_LIMIT : CT_PAIR_OK;
  add(list, &c);
}

/* From place to place, each as far on as the last was from the surface, so that nothing is passed over; on the surface by steps of
 * round-off that grow until it is left, on the side that tells whether it was crossed or touched. */
static void cross_grown(const ct_ray *ray, ct_placed shape, const mesh_ray *m, double growth, crossing_list *list) {
  double enough = m->same * m->length, nudge = m->same;
  place met = {.s = -1.0}, at = place_at(m, growth, 0.0);
  bool outside = at.height > 0.0, near = false;
  for (int step = 0; at.s <= m->end && at.s <= m->t_max && !(list->room == 1 && list->count > 0); step++) {
    list->limited = step == STEPS_MAX;
    if (fabs(at.height) <= enough && !list->limited) {
      if (!near) met = at;
      near = true;
      at = place_at(m, growth, at.s + nudge);
      nudge *= 2.0;
      continue;
    }
    bool now = at.height > 0.0;
    if (list->limited || now != outside) {
      list->entering = outside;
      put_place(ray, shape, m, near ? &met : &at, list);
    } else if (near && outside) {
      for (int way = 1; way >= 0; way--) {
        list->entering = way == 1;
        put_place(ray, shape, m, &met, list);
      }
    }
    if (list->limited) return;
    outside = now;
    near = false;
    nudge = m->same;
    at = place_at(m, growth, at.s + fabs(at.height) / m->length);
  }
}

size_t ct_ray_cross_mesh(const ct_ray *ray, ct_placed shape, const ct_local_ray *local, ct_workspace *workspace,
                         ct_ray_crossing *out, size_t room) {
  mesh_ray m = look_at(ray, shape, local);
  crossing_list list = {.out = out, .room = room};
  double growth = shape.shape->rounding + shape.shape->margin;
  if (growth > 0.0) {
    cross_grown(ray, shape, &m, growth, &list);
    return list.count;
  }
  ct_mesh_hit first;
  if (room == 1 && !ct_mesh_ray_first(m.mesh, m.origin, m.direction, m.t_max, &first)) return 0;
  /* What is met first may be no crossing. */
  for (int all = room != 1; all < 2 && list.count == 0; all++) {
    size_t count = gather(&m, all ? m.t_max : first.t + m.same, workspace);
    if (count == SIZE_MAX) return SIZE_MAX;
    put_hits(ray, shape, &m, count, workspace->ray.hits, &list);
  }
  return list.count;
}
