/* Search for the end of a contact: bounds of how long a contact certainly lasts, and the
 * advancement from a sample in contact to a sample apart. */
#include "toi/toi.h"
#include "toi/toi_relative_motion.h"
#include "triangle/triangle_distance.h"

#include <assert.h>

/* ---- surfaces that cross --------------------------------------------------------------------- */

/* How far two crossing open surfaces can be displaced before they may separate.
 *
 * An edge of one surface that pierces a triangle of the other continues to pierce it as long as
 * neither end of the edge reaches the triangle and the edge reaches no edge of the triangle: the
 * two are linked. The displacement is bounded for all directions (ct_toi_gap_time). */

/* Largest number of triangle pairs that are all tested; above it, only the pair that was found to
 * cross is tested. */
#define LINK_PAIRS_MAX 64
/* Round-off of transformed vertices and of the distances between them, in unit round-offs of their
 * sizes. */
#define LINK_SLACK 128.0

typedef struct link_side {
  const ct_mesh_view *view;
  const ct_frame *frame;
  uint32_t found;
} link_side;

static link_side link_side_of(const ct_toi_side *side, const ct_toi_side_pose *at, uint32_t found) {
  return (link_side){ct_mesh_get(side->shape->mesh), &at->shape, found};
}

static ct_triangle placed_link_triangle(const link_side *side, const uint32_t corners[3]) {
  ct_triangle t;
  for (int i = 0; i < 3; i++) t.v[i] = ct_to_parent(*side->frame, side->view->vertices[corners[i]]);
  return t;
}

/* Returns the largest clearance of an edge that pierces the triangle: the least displacement after
 * which it may no longer pierce it, m. 0 if no edge does. */
static double link_clearance(const ct_triangle *edges, const ct_triangle *t) {
  double best = 0.0;
  for (int i = 0; i < 3; i++) {
    const ct_vec3 edge[2] = {edges->v[i], edges->v[(i + 1) % 3]};
    if (!ct_segment_meets(edge[0], edge[1], t, NULL)) continue;
    double least = INFINITY;
    ct_gap gap;
    for (int k = 0; k < 2; k++)
      if (ct_point_gap(edge[k], t, INFINITY, &gap)) least = ct_min2(least, gap.distance);
    for (int k = 0; k < 3; k++) {
      const ct_triangle rim = {{t->v[k], t->v[(k + 1) % 3], t->v[(k + 1) % 3]}};
      if (ct_segment_gap(edge, &rim, INFINITY, &gap)) least = ct_min2(least, gap.distance);
    }
    best = ct_max2(best, least);
  }
  return best;
}

static double pair_link_clearance(const ct_triangle *a, const ct_triangle *b) {
  return ct_max2(link_clearance(a, b), link_clearance(b, a));
}

static double crossing_clearance(const ct_toi_pair *pair, const ct_toi_sample *s) {
  assert(ct_toi_is_open_surface(pair->a.shape) && ct_toi_is_open_surface(pair->b.shape));
  const link_side a = link_side_of(&pair->a, &s->a, s->result.triangle_a),
                  b = link_side_of(&pair->b, &s->b, s->result.triangle_b);
  double best = 0.0;
  /* all pairs of triangles, or only the crossing one */
  if ((uint64_t)a.view->live_count * b.view->live_count <= LINK_PAIRS_MAX) {
    for (uint32_t i = 0; i < a.view->live_count; i++) {
      ct_triangle first = placed_link_triangle(&a, a.view->corners[i]);
      for (uint32_t j = 0; j < b.view->live_count; j++) {
        ct_triangle second = placed_link_triangle(&b, b.view->corners[j]);
        best = ct_max2(best, pair_link_clearance(&first, &second));
      }
    }
  } else if (a.found != CT_NO_TRIANGLE && b.found != CT_NO_TRIANGLE) {
    ct_triangle first = placed_link_triangle(&a, a.view->triangles[a.found]),
                second = placed_link_triangle(&b, b.view->triangles[b.found]);
    best = pair_link_clearance(&first, &second);
  }
  /* subtract round-off */
  double far_a = ct_norm(s->a.pivot) + ct_norm(s->a.shape.position),
         far_b = ct_norm(s->b.pivot) + ct_norm(s->b.shape.position);
  double size = (far_a + far_b) + (pair->a.reach + pair->b.reach);
  return best - LINK_SLACK * CT_UNIT_ROUNDOFF * size - s->slack;
}

/* ---- how long a contact lasts ---------------------------------------------------------------- */

/* How long a contact certainly lasts: by its depth, by the points below a half-space, or by one
 * point of a shape inside the other.
 *
 * In the frame of a convex shape, the path of a point of the other shape stays within K t^2 / 8 of
 * its chord, where K bounds the point's acceleration in that frame. Depth in a convex shape is a
 * concave function along the chord. Hence, if the point is deeper than K t^2 / 8 at both ends of a
 * time t, it is inside throughout. The bound permits long steps while shapes slide at nearly
 * constant depth. If `allowed` is added to the depth, the bound limits the separation instead of
 * excluding it. */

/* Largest number of times tried. Each is the time at which the present rate uses up the depth, but
 * at least TRY_FACTOR times the previous one. */
#define TRIES_MAX 6
#define TRY_FACTOR 0.25
/* Largest rotation of both sides together for which the chord bound is used, rad. */
#define ANGLE_MAX 1.0
/* Upper bound of |w'| / |w|^2 without torque, as in toi_advancement.c, plus 1 for the centripetal
 * acceleration. */
#define TURNING 1.578
/* Largest number of steps of the search for a deeper point of a mesh, and factor of the step length
 * after a step that is not deeper. */
#define DEEPER_STEPS_MAX 24
#define DEEPER_FACTOR 0.5

/* A point of one side that is inside the other side. */
typedef struct contained_point {
  const ct_toi_side *side, *other;
  ct_vec3 local; /* point in the frame of the side's shape */
} contained_point;

typedef struct depth_sample {
  double depth;   /* lower bound of the point's depth, m; negative: it may be outside */
  ct_vec3 inward; /* direction of increasing depth */
} depth_sample;

static depth_sample point_depth(ct_vec3 point, const ct_toi_side *other,
                                const ct_toi_side_pose *there, double slack,
                                ct_workspace *workspace) {
  const ct_shape ball = {.kind = CT_KIND_SPHERE, .sphere = {CT_SIZE_MIN}};
  ct_frame frame = {{{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}, point};
  const ct_pair_options options = {0.0, INFINITY};
  ct_pair_result result;
  ct_pair_distance((ct_placed){&ball, &frame}, (ct_placed){other->shape, &there->shape}, &options,
                   workspace, &result);
  return (depth_sample){-result.upper_bound - CT_SIZE_MIN - slack, result.normal};
}

/* Returns an upper bound, over a time, of the acceleration of a point of the side in the rotating
 * frame of the other side, m/s^2. */
static double bound_point_acceleration(const contained_point *p, const ct_toi_sample *s,
                                       const ct_relative_motion *d, double time) {
  double spin = p->side->spin, turn = p->other->spin, acceleration = ct_norm(d->acceleration);
  double velocity = ct_norm(d->velocity) + acceleration * time;
  double far = ct_norm(ct_sub(s->b.pivot, s->a.pivot)) + velocity * time + p->side->reach;
  double own = (p->side->steady ? p->side->arm : TURNING * p->side->reach) * spin * spin;
  /* The arm of a ball is that of its centre, but the point is on its surface: add the distance, at
   * most the radius. */
  if (p->side->steady)
    own += spin * spin * ct_max2(0.0, ct_min2(p->side->reach - p->side->arm, p->side->radius));
  double sum = acceleration + own + 2.0 * turn * (velocity + spin * p->side->reach + turn * far) +
               (p->other->steady ? 1.0 : TURNING) * turn * turn * far;
  return sum * (1.0 + SPEED_SLACK) + d->acceleration_error;
}

static double point_contact_time(const contained_point *p, const ct_toi_pair *pair,
                                 const ct_toi_sample *s, double allowed, double horizon,
                                 ct_workspace *workspace) {
  bool first = p->side == &pair->a;
  const ct_toi_side_pose *at = first ? &s->a : &s->b, *there = first ? &s->b : &s->a;
  ct_vec3 point = ct_to_parent(at->shape, p->local),
          velocity = ct_toi_relative_velocity(s, point, point);
  depth_sample now = point_depth(point, p->other, there, s->slack, workspace);
  double depth = now.depth + allowed,
         rate = first ? ct_dot(now.inward, velocity) : -ct_dot(now.inward, velocity);
  if (!(depth > 0.0)) return 0.0;
  ct_relative_motion d = ct_relative_motion_of(pair, s);
  double spins = pair->a.spin + pair->b.spin,
         time = spins * horizon > ANGLE_MAX ? ANGLE_MAX / spins : horizon;
  for (int i = 0; i < TRIES_MAX; i++) {
    double bend = bound_point_acceleration(p, s, &d, time);
    /* The depth at the sample limits the time. */
    if (bend * time * time > 8.0 * depth) time = sqrt(8.0 * depth / bend);
    double later = ct_toi_later(s->time, time * (1.0 - TIME_SLACK));
    if (!(later > s->time)) return 0.0;
    ct_toi_sample pair_later;
    ct_toi_place_pair(pair, later, &pair_later);
    const ct_toi_side_pose *at_then = first ? &pair_later.a : &pair_later.b,
                           *there_then = first ? &pair_later.b : &pair_later.a;
    depth_sample then = point_depth(ct_to_parent(at_then->shape, p->local), p->other, there_then,
                                    pair_later.slack, workspace);
    if (then.depth + allowed > 0.125 * bend * time * time) return later - s->time;
    double closing = ct_gap_closing_time(depth, rate, 1.25 * bend), next = TRY_FACTOR * time;
    time = closing > next && closing < time ? closing : next;
  }
  return 0.0;
}

/* Searches for a point of the mesh, in the world frame, that is deeper in the other shape than the
 * given one, by steps inward that are projected back onto the mesh. Returns the deepest point
 * found. */
static ct_vec3 find_deeper_point(const ct_toi_side *mesh, const ct_toi_side_pose *at,
                                 const ct_toi_side *other, const ct_toi_side_pose *there,
                                 ct_vec3 point, ct_workspace *workspace) {
  const ct_shape ball = {.kind = CT_KIND_SPHERE, .sphere = {CT_SIZE_MIN}};
  const ct_pair_options options = {0.0, INFINITY};
  /* start toward the centre of the other shape */
  depth_sample best = point_depth(point, other, there, 0.0, workspace);
  double step = DEEPER_FACTOR * ct_min2(other->radius, mesh->radius);
  ct_vec3 target = ct_to_parent(there->body, other->ball);
  /* project the target to the mesh; accept deeper points */
  for (int i = 0; i < DEEPER_STEPS_MAX; i++) {
    ct_frame frame = {{{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}, target};
    ct_pair_result nearest;
    ct_pair_distance((ct_placed){mesh->shape, &at->shape}, (ct_placed){&ball, &frame}, &options,
                     workspace, &nearest);
    depth_sample now = point_depth(nearest.point_a, other, there, 0.0, workspace);
    if (now.depth > best.depth) {
      best = now;
      point = nearest.point_a;
    } else if (i > 0) {
      step *= DEEPER_FACTOR;
    }
    target = ct_add_scaled(point, best.inward, step);
  }
  return point;
}

static double side_contact_time(bool first, const ct_toi_pair *pair, const ct_toi_sample *s,
                                double allowed, double horizon, ct_workspace *workspace) {
  const ct_toi_side *side = first ? &pair->a : &pair->b, *other = first ? &pair->b : &pair->a;
  const ct_toi_side_pose *at = first ? &s->a : &s->b, *there = first ? &s->b : &s->a;
  bool crossing = s->result.depth_kind == CT_DEPTH_NONE && ct_kind_is_mesh(side->shape->kind),
       mesh = ct_kind_is_mesh(other->shape->kind);
  if (side->reach == INFINITY || (mesh && !(crossing && !ct_toi_is_open_surface(other->shape))))
    return 0.0;
  ct_vec3 point = first ? s->result.point_a : s->result.point_b;
  if (crossing) point = find_deeper_point(side, at, other, there, point, workspace);
  if (mesh)
    return ct_toi_gap_time(
        pair, s, point_depth(point, other, there, s->slack, workspace).depth + allowed, horizon);
  const contained_point p = {side, other, ct_to_local(at->shape, point)};
  return point_contact_time(&p, pair, s, allowed, horizon, workspace);
}

/* Returns how long a contact with a half-space that does not rotate lasts: as long as the deepest
 * point of the shape (for a ball, its centre less the radius) stays below the plane. Two bounds: by
 * the present rate and the largest acceleration, and by the largest speed; the longer one is
 * used. */
static double plane_contact_time(const ct_toi_pair *pair, const ct_toi_sample *s, double gap) {
  ct_vec3 n = s->result.normal;
  ct_relative_motion d = ct_relative_motion_of(pair, s);
  double bend = 0.0, turning = 0.0, error = d.speed_error;
  for (int k = 0; k < 2; k++) {
    const ct_toi_side *side = k == 0 ? &pair->a : &pair->b;
    if (side->reach == INFINITY || side->spin == 0.0) continue;
    turning = ct_turning_speed(side, k == 0 ? &s->a : &s->b, n, side->arm);
    bend = side->spin * (side->steady ? turning : TURNING * side->spin * side->reach) *
           (1.0 + SPEED_SLACK);
    error += SPEED_SLACK * side->spin * side->reach;
  }
  double acceleration = d.acceleration_error + ct_dot(n, d.acceleration);
  return ct_max2(ct_gap_closing_time(gap, s->rate + error, bend + acceleration),
                 ct_gap_closing_time(gap, ct_dot(n, d.velocity) + turning + error, acceleration));
}

/* Returns how long two half-spaces stay in contact: until their normals are opposite. allowed > 0:
 * until they nearly are. */
static double half_spaces_contact_time(const ct_toi_pair *pair, const ct_toi_sample *s,
                                       double allowed) {
  ct_vec3 up = ct_vec(0.0, 0.0, 1.0);
  ct_vec3 sum = ct_add(ct_mat_mul(s->a.shape.rotation, up), ct_mat_mul(s->b.shape.rotation, up));
  double angle =
      ct_norm(sum) - 64.0 * CT_UNIT_ROUNDOFF + (allowed > 0.0 ? CT_TIMELINE_RESOLUTION : 0.0);
  return ct_gap_closing_time(angle, pair->a.spin + pair->b.spin, 0.0);
}

static double contact_time(const ct_toi_pair *pair, const ct_toi_sample *s, double allowed,
                           double horizon, ct_workspace *workspace) {
  bool plane_a = pair->a.reach == INFINITY, plane_b = pair->b.reach == INFINITY;
  if (s->result.status == CT_PAIR_UNSUPPORTED) return half_spaces_contact_time(pair, s, allowed);
  bool turning_plane = (plane_a && pair->a.spin > 0.0) || (plane_b && pair->b.spin > 0.0);
  double gap = allowed - s->upper, time = 0.0;
  if (allowed > 0.0 || s->result.depth_kind != CT_DEPTH_NONE)
    time = ct_toi_gap_time(pair, s, gap, horizon);
  if (time < horizon && (plane_a != plane_b) && !turning_plane)
    time = ct_max2(time, plane_contact_time(pair, s, gap));
  if (s->result.depth_kind == CT_DEPTH_NONE && ct_toi_is_open_surface(pair->a.shape) &&
      ct_toi_is_open_surface(pair->b.shape))
    return ct_max2(time, ct_toi_gap_time(pair, s, crossing_clearance(pair, s) + allowed, horizon));
  for (int k = 0; k < 2 && time < horizon; k++)
    time = ct_max2(time, side_contact_time(k == 0, pair, s, allowed, horizon, workspace));
  return time;
}

/* ---- the search ------------------------------------------------------------------------------ */

/* Advances from contact to apart. As long as a motion bound certifies the contact, a step ends
 * where the certificate does. Otherwise a step is so short that no separation larger than the
 * resolution can begin and end within it. */

/* Multiple of the distance's upper bound that is added to the resolution, to cover its
 * uncertainty. */
#define OPEN_PART 2.0
/* Factor by which uncertified steps grow. */
#define AHEAD_GROWTH 4.0
/* Fraction of the samples after which longer uncertified steps take precedence over short certified
 * ones. */
#define CERTAIN_PART 0.5

/* True if two convex shapes translate relative to each other at constant velocity: the times of
 * contact are then a single interval. */
static bool is_straight(const ct_toi_pair *pair) {
  ct_vec3 a = pair->a.acceleration, b = pair->b.acceleration;
  bool turns = pair->a.spin * pair->a.arm > 0.0 || pair->b.spin * pair->b.arm > 0.0;
  return !turns && a.x == b.x && a.y == b.y && a.z == b.z &&
         !ct_kind_is_mesh(pair->a.shape->kind) && !ct_kind_is_mesh(pair->b.shape->kind);
}

/* Returns how long a pair for which is_straight is true certainly stays in contact, by a sample at
 * the end of the motion, s; 0: unknown. */
static double straight_time(const ct_toi_search *search, const ct_toi_sample *at) {
  ct_toi_search own = *search;
  ct_toi_sample last, root;
  double end = search->options->end;
  own.bodies = NULL;
  if (!ct_sample_is_contact(at) || !ct_toi_evaluate(&own, end, &last)) return 0.0;
  if (ct_sample_is_contact(&last)) return end - at->time;
  if (!(last.result.distance > 0.0)) return 0.0;
  ct_toi_root(&own, at, &last, &root);
  return root.time > at->time ? ct_toi_narrow_bracket(&own, &root, at->time, true) - at->time : 0.0;
}

/* Returns the largest separation that may remain undetected, m. */
static double resolution_of(const ct_toi_search *search, const ct_toi_sample *at) {
  double radius = ct_min2(search->pair.a.radius, search->pair.b.radius);
  return (radius < INFINITY ? CT_TIMELINE_RESOLUTION * radius : 0.0) +
         OPEN_PART * ct_max2(0.0, at->upper);
}

ct_toi_outcome ct_toi_search_separation(ct_toi_search *search, ct_toi_sample *at,
                                        ct_toi_sample *separated) {
  double end = search->options->end, step = 0.0;
  bool straight = true;
  search->evaluations_max = search->options->iterations_max;
  search->free_until = search->apart_until = search->contact_until = at->time;
  uint32_t certain_max = (uint32_t)(CERTAIN_PART * search->evaluations_max);
  while (at->time < end) {
    double left = end - at->time,
           certified = contact_time(&search->pair, at, 0.0, left, search->workspace);
    /* Tried at most once: at the end of this interval the contact ends, or another pair continues
     * it. */
    if (straight && certified < left && is_straight(&search->pair)) {
      certified = ct_max2(certified, straight_time(search, at));
      straight = certified == 0.0;
    }
    double time = certified < left ? ct_toi_later(at->time, certified) : end;
    bool certain = time > at->time;
    if (!certain || search->evaluations >= certain_max) {
      step = step > 0.0 ? AHEAD_GROWTH * step : ct_toi_initial_lookahead(at, end, 1.0);
      step = ct_min2(step, contact_time(&search->pair, at, resolution_of(search, at), left,
                                        search->workspace));
      certain = certain && certified >= step;
      if (!certain) time = ct_min2(end, at->time + step);
      if (!(time > at->time)) return CT_TOI_OUTCOME_UNDECIDED;
    } else {
      step = 0.0;
    }
    if (certain) search->contact_until = time;
    if (!ct_toi_evaluate(search, time, separated)) return CT_TOI_OUTCOME_UNDECIDED;
    if (ct_sample_is_apart(separated)) return CT_TOI_OUTCOME_FREE;
    if (ct_sample_is_contact(separated)) search->contact_until = separated->time;
    *at = *separated;
  }
  return CT_TOI_OUTCOME_UNDECIDED;
}
