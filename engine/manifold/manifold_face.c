/* Overlap of two supporting faces in the view: polygons, segments and discs.
 *
 * The overlap of two convex polygons has three kinds of corners: corners of the first polygon
 * inside the second, corners of the second inside the first, and edge crossings. Distances are
 * measured between the two surfaces along the pair's normal, so that no point is deeper than the
 * pair.
 *
 * Clipping of small polygons: Sutherland, Hodgman 1974, every corner for each side. Large polygons:
 * a linked ring, of which only the arc outside each side is visited. As the sides follow each
 * other, the corner farthest outside advances around the ring once, so the total cost is linear;
 * O'Rourke, Chien, Olson, Naddor 1982 advance along both polygons in the same manner.
 *
 * For discs (caps of cylinders and cones) the points are: quarter points of the rim inside the
 * other face, corners over the disc, crossings of edges with the rim, and crossings of two rims.
 * The projection of an inclined disc is an ellipse; all tests are made in the disc's own plane,
 * where it is a circle. */
#include "manifold/manifold.h"
#include "pair/workspace.h"

#include <assert.h>
#include <stdlib.h>

/* ---- clipping of polygons ------------------------------------------------------------------- */

/* Flag in ct_corner.edge: the edge of the clipped polygon is part of a side of the clipping
 * polygon. */
#define SIDE 0x80000000u

/* Largest product of the numbers of corners and sides for the quadratic method: approximately a
 * tenth of a millisecond. */
#define SMALL_STEPS_MAX 65536u

/* Returns the level of position p for a side: its signed distance from the side, positive inside,
 * times the side's length. */
static double compute_side_level(const ct_corner *from, const ct_corner *to, const ct_corner *p) {
  return (to->x - from->x) * (p->y - from->y) - (to->y - from->y) * (p->x - from->x);
}

/* Returns the crossing of the edge from p to q with a side, given the levels of both ends for the
 * side. */
static ct_corner interpolate_crossing(const ct_corner *p, const ct_corner *q, double level_p,
                                      double level_q) {
  double t = ct_min2(ct_max2(level_p / (level_p - level_q), 0.0), 1.0);
  return (ct_corner){
      .at = ct_lerp(p->at, q->at, t), .x = p->x + t * (q->x - p->x), .y = p->y + t * (q->y - p->y)};
}

static double compute_side_length(const ct_corner *from, const ct_corner *to) {
  return sqrt((to->x - from->x) * (to->x - from->x) + (to->y - from->y) * (to->y - from->y));
}

static const ct_corner *get_side_end(const ct_corner_list *frame, uint32_t k) {
  return &frame->items[k + 1 == frame->count ? 0 : k + 1];
}

/* ---- small polygons ------------------------------------------------------------------------- */

/* Clips a polygon by one side. Returns `in` itself if it is entirely inside, else `out`. Corners
 * outside by less than a tie count as inside. */
static const ct_corner_list *clip_by_side(const ct_corner_list *in, const ct_corner *from,
                                          const ct_corner *to, uint32_t side, double tie,
                                          ct_corner_list *out) {
  double limit = -tie * compute_side_length(from, to), least = INFINITY;
  for (uint32_t i = 0; i < in->count; i++)
    least = ct_min2(least, compute_side_level(from, to, &in->items[i]));
  if (least >= limit) return in;
  out->count = 0;
  const ct_corner *p = &in->items[in->count - 1];
  double level_p = compute_side_level(from, to, p);
  for (uint32_t i = 0; i < in->count; i++) {
    const ct_corner *q = &in->items[i];
    double level_q = compute_side_level(from, to, q);
    if ((level_p >= limit) != (level_q >= limit)) {
      ct_corner *c = &out->items[out->count++];
      *c = interpolate_crossing(p, q, level_p, level_q);
      c->edge = level_p >= limit ? SIDE | side : p->edge;
    }
    if (level_q >= limit) out->items[out->count++] = *q;
    p = q;
    level_p = level_q;
  }
  return out;
}

static const ct_corner_list *clip_small(const ct_contacts *contacts, const ct_corner_list *frame,
                                        const ct_corner_list *in) {
  ct_corner_list *lists = contacts->memory->cut;
  for (uint32_t k = 0; k < frame->count; k++)
    in = clip_by_side(in, &frame->items[k], get_side_end(frame, k), k, contacts->tie,
                      &lists[in == &lists[0]]);
  return in;
}

/* ---- large polygons ------------------------------------------------------------------------- */

enum { BEFORE, AFTER };

/* The clipped polygon as a doubly linked ring of corners. */
typedef struct corner_ring {
  ct_corner *items;
  uint32_t (*link)[2];
  uint32_t used, count, at; /* number of slots used, number of corners in the ring, index of one
                               corner of the ring */
} corner_ring;

/* A side of the clipping polygon. */
typedef struct clip_side {
  const ct_corner *from, *to;
  uint32_t number;
  double limit; /* corners with a lower level for the side are outside */
} clip_side;

static double compute_ring_level(const corner_ring *r, const clip_side *s, uint32_t i) {
  return compute_side_level(s->from, s->to, &r->items[i]);
}

/* Moves r->at in one direction around the ring to the corner with the lowest level, as long as
 * levels decrease except for round-off. Returns this level. */
static double descend_to_lowest(corner_ring *r, const clip_side *s, int direction) {
  double least = compute_ring_level(r, s, r->at);
  uint32_t i = r->at;
  for (uint32_t left = r->count; left > 0; left--) {
    i = r->link[i][direction];
    double level = compute_ring_level(r, s, i);
    if (level > least - s->limit) break;
    if (level >= least) continue;
    least = level;
    r->at = i;
  }
  return least;
}

/* Finds the first corner inside the side, in one direction from r->at, which is outside. *first is
 * that corner, *last the corner before it. False: all corners are outside. */
static bool find_first_inside(const corner_ring *r, const clip_side *s, int direction,
                              uint32_t *last, uint32_t *first) {
  uint32_t i = r->at;
  for (uint32_t left = r->count; left > 0; left--) {
    *last = i;
    i = r->link[i][direction];
    *first = i;
    if (compute_ring_level(r, s, i) >= s->limit) return true;
  }
  return false;
}

static void link_corners(corner_ring *r, uint32_t p, uint32_t q) {
  r->link[p][AFTER] = q;
  r->link[q][BEFORE] = p;
}

/* Clips the ring by one side: two crossings replace the corners outside. False: nothing is left. */
static bool clip_ring_by_side(corner_ring *r, const clip_side *s) {
  descend_to_lowest(r, s, AFTER);
  if (descend_to_lowest(r, s, BEFORE) >= s->limit) return true;
  /* Find the ends of the arc outside, and the crossings there. */
  uint32_t p, out_p, q, out_q;
  if (!find_first_inside(r, s, BEFORE, &out_p, &p) || !find_first_inside(r, s, AFTER, &out_q, &q))
    return false;
  const ct_corner *c = r->items;
  ct_corner first = interpolate_crossing(&c[p], &c[out_p], compute_ring_level(r, s, p),
                                         compute_ring_level(r, s, out_p));
  ct_corner second = interpolate_crossing(&c[out_q], &c[q], compute_ring_level(r, s, out_q),
                                          compute_ring_level(r, s, q));
  first.edge = SIDE | s->number;
  second.edge = c[out_q].edge;
  /* Replace the arc by the two crossings. */
  for (uint32_t i = out_p; i != q; i = r->link[i][AFTER]) r->count--;
  uint32_t slot = out_p == out_q ? r->used++ : out_q;
  assert(r->count > 0 && slot < r->used);
  r->items[out_p] = first;
  r->items[slot] = second;
  link_corners(r, p, out_p);
  link_corners(r, out_p, slot);
  link_corners(r, slot, q);
  r->count += 2;
  r->at = slot;
  return true;
}

static bool reserve_links(ct_manifold_scratch *m, uint32_t count) {
  if (count <= m->link_capacity) return true;
  uint32_t(*link)[2] = realloc(m->link, count * sizeof *link);
  if (!link) return false;
  m->link = link;
  m->link_capacity = count;
  return true;
}

static const ct_corner_list *clip_large(ct_contacts *contacts, const ct_corner_list *frame,
                                        const ct_corner_list *in) {
  ct_manifold_scratch *m = contacts->memory;
  contacts->failed = contacts->failed || !reserve_links(m, in->count + frame->count + 2);
  if (contacts->failed) return NULL;
  corner_ring r = {m->cut[0].items, m->link, in->count, in->count, 0};
  for (uint32_t i = 0; i < in->count; i++) {
    r.items[i] = in->items[i];
    link_corners(&r, i, i + 1 == in->count ? 0 : i + 1);
  }
  /* Clip by each side; the cancel flag is tested once per side. */
  ct_corner_list *out = &m->cut[1];
  out->count = 0;
  for (uint32_t k = 0; k < frame->count; k++) {
    contacts->cut_short =
        contacts->cut_short || ct_cancel_raised(ct_workspace_cancel(contacts->workspace));
    if (contacts->cut_short) return NULL;
    clip_side s = {&frame->items[k], get_side_end(frame, k), k, 0.0};
    s.limit = -contacts->tie * compute_side_length(s.from, s.to);
    if (!clip_ring_by_side(&r, &s)) return out;
  }
  for (uint32_t i = r.at; out->count < r.count; i = r.link[i][AFTER])
    out->items[out->count++] = r.items[i];
  return out;
}

/* Clips a convex polygon, `body`, by another one, `frame`. Returns the corners of the overlap in
 * order; none if it is empty.
 *
 * The list belongs to contacts->memory. NULL: `failed` or `cut_short` is set. The cost is linear in
 * the number of corners for large polygons, quadratic for small ones. */
static const ct_corner_list *clip_polygon(ct_contacts *contacts, const ct_corner_list *frame,
                                          const ct_corner_list *body) {
  ct_corner_list *lists = contacts->memory->cut;
  assert(frame->count >= 3 && body->count >= 3);
  uint32_t capacity = body->count + frame->count + 2;
  bool reserved =
      ct_corner_list_reserve(&lists[0], capacity) && ct_corner_list_reserve(&lists[1], capacity);
  contacts->failed = contacts->failed || !reserved;
  if (contacts->failed) return NULL;
  bool small = (uint64_t)body->count * frame->count <= SMALL_STEPS_MAX;
  return small ? clip_small(contacts, frame, body) : clip_large(contacts, frame, body);
}

/* ---- discs ---------------------------------------------------------------------------------- */

/* A disc, and the supporting face of the other body. */
typedef struct disc_overlap {
  ct_contacts *contacts;
  const ct_supporting_face *disc, *other;
} disc_overlap;

void ct_rim_points(ct_vec3 axis, ct_vec3 across, ct_vec3 down, double slack, ct_vec3 out[4]) {
  ct_vec3 flat = ct_add_scaled(down, axis, -ct_dot(down, axis));
  out[0] = ct_norm(flat) <= slack ? across : ct_unit_or(flat, across);
  out[1] = ct_cross(axis, out[0]);
  out[2] = ct_neg(out[0]);
  out[3] = ct_neg(out[1]);
}

/* Adds the candidate as a contact point. candidate->at is a point of the disc's body if `on_disc`,
 * else of the other body; the distance to the other surface is measured along the normal. The
 * features are given as that of the disc's body and that of the other. */
static void add_disc_candidate(const disc_overlap *c, ct_feature of_disc, ct_feature of_other,
                               ct_contact_candidate *candidate, bool on_disc) {
  const ct_view *view = &c->contacts->view;
  const ct_supporting_face *over = on_disc ? c->other : c->disc;
  ct_vec3 at = candidate->at;
  double gap = ct_supporting_face_height(over, ct_dot(view->x, at), ct_dot(view->y, at)) -
               ct_dot(view->normal, at);
  candidate->on_second = on_disc == c->disc->second;
  candidate->distance = candidate->on_second ? -gap : gap;
  candidate->a = c->disc->second ? of_other : of_disc;
  candidate->b = c->disc->second ? of_disc : of_other;
  ct_contacts_add(c->contacts, candidate);
}

static ct_feature make_rim_feature(const ct_supporting_face *disc) {
  return (ct_feature){CT_FEATURE_EDGE, disc->inside.index};
}

/* Returns the vector from the disc's centre to the point of its plane at a position of the view. */
static ct_vec3 project_onto_disc(const ct_view *view, const ct_supporting_face *disc, double x,
                                 double y) {
  ct_vec3 p = ct_scale(view->normal, ct_supporting_face_height(disc, x, y));
  p = ct_add_scaled(ct_add_scaled(p, view->x, x), view->y, y);
  return ct_sub(p, disc->center);
}

static bool is_over_disc(const ct_view *view, const ct_supporting_face *disc, ct_vec3 at,
                         double tie) {
  return ct_norm(project_onto_disc(view, disc, ct_dot(view->x, at), ct_dot(view->y, at))) <=
         disc->radius + tie;
}

static bool is_over_polygon(const ct_view *view, const ct_supporting_face *polygon, ct_vec3 at,
                            double tie) {
  const ct_corner_list *corners = &polygon->corners;
  double x = ct_dot(view->x, at), y = ct_dot(view->y, at);
  for (uint32_t k = 0; k < corners->count; k++) {
    const ct_corner *p = &corners->items[k],
                    *q = &corners->items[k + 1 == corners->count ? 0 : k + 1];
    double dx = q->x - p->x, dy = q->y - p->y;
    if (dx * (y - p->y) - dy * (x - p->x) < -tie * sqrt(dx * dx + dy * dy)) return false;
  }
  return true;
}

/* Adds four points of the rim, a quarter turn apart, where they are over the other supporting face,
 * a disc or a polygon. */
static void add_rim_quarter_points(const disc_overlap *c) {
  const ct_view *view = &c->contacts->view;
  const ct_slope *s = &c->other->slopes.items[0];
  /* direction in which the distance to the other surface decreases fastest */
  ct_vec3 down = ct_add_scaled(ct_add_scaled(view->normal, view->x, -s->x), view->y, -s->y), at[4];
  if (c->disc->second) down = ct_neg(down);
  ct_rim_points(c->disc->normal, c->disc->across, down, CT_PARALLEL_ANGLE, at);
  for (uint32_t i = 0; i < 4; i++) {
    ct_contact_candidate candidate = {.at = ct_add_scaled(c->disc->center, at[i], c->disc->radius),
                                      .number = i};
    bool over = c->other->kind == CT_SUPPORTING_FACE_DISC
                    ? is_over_disc(view, c->other, candidate.at, c->contacts->tie)
                    : is_over_polygon(view, c->other, candidate.at, c->contacts->tie);
    if (over) add_disc_candidate(c, make_rim_feature(c->disc), c->other->inside, &candidate, true);
  }
}

/* Adds the crossings of the line from p to q with the rim. A line whose distance from the centre is
 * less than a tie below the radius is a tangent and has no crossing. A crossing within a tie of p
 * or q is that corner and no crossing. */
static void add_rim_line_crossings(const disc_overlap *c, const ct_corner *p, const ct_corner *q,
                                   ct_feature edge) {
  const ct_view *view = &c->contacts->view;
  ct_vec3 from = project_onto_disc(view, c->disc, p->x, p->y),
          step = ct_sub(project_onto_disc(view, c->disc, q->x, q->y), from);
  double square = ct_norm2(step), half = ct_dot(from, step),
         level = ct_norm2(from) - c->disc->radius * c->disc->radius;
  double root = half * half - square * level, radius = c->disc->radius, tie = c->contacts->tie;
  double chord = ct_max2(radius * radius - (radius - tie) * (radius - tie), 0.0);
  if (!(root > square * chord) || !(square > 0.0)) return;
  root = sqrt(root);
  const double end = tie / sqrt(square);
  for (uint32_t i = 0; i < 2; i++) {
    double t = (i ? root - half : -root - half) / square;
    ct_contact_candidate candidate = {.at = ct_lerp(p->at, q->at, t), .number = i};
    if (t > end && t < 1.0 - end)
      add_disc_candidate(c, make_rim_feature(c->disc), edge, &candidate, false);
  }
}

static void add_polygon_points(const disc_overlap *c) {
  const ct_corner_list *corners = &c->other->corners;
  bool line = c->other->kind == CT_SUPPORTING_FACE_SEGMENT;
  for (uint32_t k = 0; k < corners->count; k++) {
    const ct_corner *p = &corners->items[k],
                    *q = &corners->items[k + 1 == corners->count ? 0 : k + 1];
    ct_contact_candidate candidate = {.at = p->at};
    if (is_over_disc(&c->contacts->view, c->disc, p->at, c->contacts->tie))
      add_disc_candidate(c, c->disc->inside, (ct_feature){p->kind, p->vertex}, &candidate, false);
    if (!line || k == 0)
      add_rim_line_crossings(c, p, q,
                             line ? c->other->inside : (ct_feature){CT_FEATURE_EDGE, p->edge});
  }
}

/* Adds the crossings of the rims of two parallel discs. Rims that overlap by less than a tie, or
 * coincide, have none. */
static void add_rim_rim_crossings(const disc_overlap *c) {
  const ct_supporting_face *a = c->disc, *b = c->other;
  ct_vec3 apart = ct_sub(b->center, a->center);
  apart = ct_add_scaled(apart, a->normal, -ct_dot(apart, a->normal));
  double d = ct_norm(apart), tie = c->contacts->tie;
  if (d <= fabs(a->radius - b->radius) + tie || d >= a->radius + b->radius - tie) return;
  double along = (d + (a->radius - b->radius) * (a->radius + b->radius) / d) / 2.0;
  double half = (a->radius - along) * (a->radius + along);
  if (!(half > 0.0)) return;
  ct_vec3 unit = ct_scale(apart, 1.0 / d), side = ct_cross(a->normal, unit);
  ct_vec3 middle = ct_add_scaled(a->center, unit, along);
  for (uint32_t i = 0; i < 2; i++) {
    ct_contact_candidate candidate = {
        .at = ct_add_scaled(middle, side, i ? -sqrt(half) : sqrt(half)), .number = i};
    add_disc_candidate(c, make_rim_feature(a), make_rim_feature(b), &candidate, true);
  }
}

/* Does what ct_contacts_overlap does, if at least one of the two supporting faces is a disc. */
static void intersect_discs(ct_contacts *contacts, const ct_supporting_face *first,
                            const ct_supporting_face *second) {
  bool discs = first->kind == second->kind, first_disc = first->kind == CT_SUPPORTING_FACE_DISC;
  disc_overlap c = {contacts, first_disc ? first : second, first_disc ? second : first};
  assert(c.disc->kind == CT_SUPPORTING_FACE_DISC);
  if (c.other->kind != CT_SUPPORTING_FACE_SEGMENT) add_rim_quarter_points(&c);
  if (!discs) {
    add_polygon_points(&c);
    return;
  }
  disc_overlap back = {contacts, second, first};
  add_rim_quarter_points(&back);
  if (first->tilt <= CT_PARALLEL_ANGLE && second->tilt <= CT_PARALLEL_ANGLE)
    add_rim_rim_crossings(&c);
}

/* ---- overlap -------------------------------------------------------------------------------- */

/* The clipping face (`frame`, the reference face), and the clipped face or segment (`body`). */
typedef struct overlap {
  ct_contacts *contacts;
  const ct_supporting_face *frame, *body; /* frame: a polygon; body: a polygon or a segment */
} overlap;

static double compute_view_height(const overlap *o, ct_vec3 at) {
  return ct_dot(o->contacts->view.normal, at);
}

/* Adds a contact point with the features of frame and body. `at` is a point of the frame if
 * `on_frame`, else of the body. */
static void add_overlap_candidate(const overlap *o, ct_feature of_frame, ct_feature of_body,
                                  ct_vec3 at, bool on_frame) {
  double x = ct_dot(o->contacts->view.x, at), y = ct_dot(o->contacts->view.y, at),
         height = compute_view_height(o, at);
  const ct_supporting_face *other = on_frame ? o->body : o->frame;
  double gap = ct_supporting_face_height(other, x, y) - height;
  bool second = on_frame == o->frame->second;
  ct_contact_candidate candidate = {.at = at, .on_second = second, .distance = second ? -gap : gap};
  candidate.a = o->frame->second ? of_body : of_frame;
  candidate.b = o->frame->second ? of_frame : of_body;
  ct_contacts_add(o->contacts, &candidate);
}

static ct_feature make_overlap_feature(ct_feature_kind kind, uint32_t index) {
  return (ct_feature){kind, index};
}
static ct_feature get_corner_feature(const ct_corner *c) {
  return make_overlap_feature(c->kind, c->vertex);
}

/* Returns the level of position p for a side: its signed distance from the side, positive inside,
 * times the side's length. */
static double compute_frame_side_level(const ct_corner *from, const ct_corner *to,
                                       const ct_corner *p) {
  return (to->x - from->x) * (p->y - from->y) - (to->y - from->y) * (p->x - from->x);
}

static bool are_corners_near(const ct_corner *p, const ct_corner *q, double tie) {
  return fabs(p->x - q->x) <= tie && fabs(p->y - q->y) <= tie;
}

/* Kind of a corner of the clipped polygon: a corner of the body, a corner of the frame, or an edge
 * crossing. It follows from the edges before and after the corner. */
typedef enum corner_sort { OF_BODY, OF_FRAME, CROSSING } corner_sort;

static corner_sort classify_corner(const ct_corner *before, const ct_corner *c) {
  bool side_in = before->edge & SIDE, side_out = c->edge & SIDE;
  return side_in != side_out ? CROSSING : side_in ? OF_FRAME : OF_BODY;
}

static const ct_corner *get_frame_side_end(const overlap *o, uint32_t side) {
  return &o->frame->corners.items[side + 1 == o->frame->corners.count ? 0 : side + 1];
}

static void add_frame_corner_candidate(const overlap *o, const ct_corner *corner) {
  add_overlap_candidate(o, get_corner_feature(corner), o->body->inside, corner->at, true);
}

/* If the position coincides with an end of a side, adds that corner of the frame and returns
 * true. */
static bool add_frame_side_end(const overlap *o, const ct_corner *at, uint32_t side) {
  double tie = 2.0 * o->contacts->tie;
  const ct_corner *from = &o->frame->corners.items[side], *to = get_frame_side_end(o, side);
  const ct_corner *end = are_corners_near(at, from, tie) ? from
                         : are_corners_near(at, to, tie) ? to
                                                         : NULL;
  if (end) add_frame_corner_candidate(o, end);
  return end != NULL;
}

/* Adds the edge crossing at corner i of the clipped polygon c [n]. A crossing that coincides with a
 * corner is that corner. Two coincident crossings are the frame's corner between their sides or, if
 * on the same side, one crossing. If the overlap is a single point, its sides may come in any
 * order. */
static void add_edge_crossing(const overlap *o, const ct_corner *c, uint32_t n, uint32_t i) {
  uint32_t p = i == 0 ? n - 1 : i - 1, q = i + 1 == n ? 0 : i + 1;
  bool side_in = c[p].edge & SIDE;
  double tie = 2.0 * o->contacts->tie;
  uint32_t side = (side_in ? c[p].edge : c[i].edge) & ~SIDE, edge = side_in ? c[i].edge : c[p].edge;
  if (are_corners_near(&c[i], &c[p], tie)) {
    if (!side_in && classify_corner(&c[p == 0 ? n - 1 : p - 1], &c[p]) == CROSSING)
      add_frame_side_end(o, &c[i], side);
    return;
  }
  if (are_corners_near(&c[i], &c[q], tie) && (side_in || classify_corner(&c[i], &c[q]) != CROSSING))
    return;
  if (add_frame_side_end(o, &c[i], side)) return;
  add_overlap_candidate(o,
                        make_overlap_feature(CT_FEATURE_EDGE, o->frame->corners.items[side].edge),
                        make_overlap_feature(CT_FEATURE_EDGE, edge), c[i].at, false);
}

static void intersect_polygons(const overlap *o) {
  const ct_corner_list *clipped = clip_polygon(o->contacts, &o->frame->corners, &o->body->corners);
  if (!clipped) return;
  const ct_corner *c = clipped->items;
  uint32_t n = clipped->count;
  for (uint32_t i = 0; i < n; i++) {
    corner_sort sort = classify_corner(&c[i == 0 ? n - 1 : i - 1], &c[i]);
    if (sort == CROSSING) add_edge_crossing(o, c, n, i);
    else if (sort == OF_FRAME)
      add_frame_corner_candidate(o, &o->frame->corners.items[c[i].edge & ~SIDE]);
    else add_overlap_candidate(o, o->frame->inside, get_corner_feature(&c[i]), c[i].at, false);
  }
}

/* Returns the feature of the frame at parameter t of the segment, where the segment crosses a side:
 * a corner of the frame within twice a tie, else the side. */
static ct_feature find_crossed_feature(const overlap *o, uint32_t side, double t) {
  const ct_corner *p = &o->body->corners.items[0], *q = &o->body->corners.items[1];
  const ct_corner_list *frame = &o->frame->corners;
  const ct_corner *from = &frame->items[side], *to = get_frame_side_end(o, side);
  const ct_corner at = {.x = p->x + t * (q->x - p->x), .y = p->y + t * (q->y - p->y)};
  double tie = 2.0 * o->contacts->tie;
  if (are_corners_near(&at, from, tie)) return get_corner_feature(from);
  if (are_corners_near(&at, to, tie)) return get_corner_feature(to);
  return make_overlap_feature(CT_FEATURE_EDGE, from->edge);
}

/* Adds the ends of the part of a segment that is over a polygon: ends of the segment, or its
 * crossings with sides. */
static void intersect_segment_polygon(const overlap *o) {
  const ct_corner *p = &o->body->corners.items[0], *q = &o->body->corners.items[1];
  const ct_corner_list *frame = &o->frame->corners;
  assert(o->body->corners.count == 2 && frame->count >= 3);
  double low = 0.0, high = 1.0, tie = o->contacts->tie;
  uint32_t low_side = SIDE, high_side = SIDE;
  /* Clip the parameter interval of the segment by each side. */
  for (uint32_t k = 0; k < frame->count; k++) {
    const ct_corner *from = &frame->items[k],
                    *to = &frame->items[k + 1 == frame->count ? 0 : k + 1];
    double length =
        sqrt((to->x - from->x) * (to->x - from->x) + (to->y - from->y) * (to->y - from->y));
    double level_p = compute_frame_side_level(from, to, p),
           level_q = compute_frame_side_level(from, to, q);
    bool in_p = level_p >= -tie * length, in_q = level_q >= -tie * length;
    if (!in_p && !in_q) return;
    if (in_p == in_q) continue;
    double t = ct_min2(ct_max2(level_p / (level_p - level_q), 0.0), 1.0);
    if (in_q && t > low) {
      low = t;
      low_side = k;
    } else if (in_p && t < high) {
      high = t;
      high_side = k;
    }
  }
  if (low > high) return;
  ct_feature line = o->body->inside;
  /* Coincident ends are one point: the end of the segment if it is over the polygon, else the first
   * crossing. */
  bool is_point = (high - low) * ct_max2(fabs(q->x - p->x), fabs(q->y - p->y)) <= 2.0 * tie;
  int kept_end = low_side != SIDE && high_side == SIDE;
  for (int end = 0; end < 2; end++) {
    uint32_t side = end ? high_side : low_side;
    if (is_point && end != kept_end) continue;
    if (side == SIDE)
      add_overlap_candidate(o, o->frame->inside, get_corner_feature(end ? q : p), (end ? q : p)->at,
                            false);
    else
      add_overlap_candidate(o, find_crossed_feature(o, side, end ? high : low), line,
                            ct_lerp(p->at, q->at, end ? high : low), false);
  }
}

/* Adds the ends of the common part of two segments that are parallel in the view. */
static void intersect_parallel_segments(ct_contacts *c, const ct_supporting_face *first,
                                        const ct_supporting_face *second) {
  assert(first->corners.count == 2 && second->corners.count == 2);
  const ct_corner *p = first->corners.items, *q = second->corners.items;
  double dx = p[1].x - p[0].x, dy = p[1].y - p[0].y, ex = q[1].x - q[0].x, ey = q[1].y - q[0].y;
  double length = sqrt(dx * dx + dy * dy), other = sqrt(ex * ex + ey * ey);
  if (fabs(dx * ey - dy * ex) > CT_PARALLEL_ANGLE * length * other) return;
  double start = ((q[0].x - p[0].x) * dx + (q[0].y - p[0].y) * dy) / (length * length);
  double step = (ex * dx + ey * dy) / (length * length), tie = c->tie / length;
  for (int end = 0; end < 2; end++) {
    /* An end of the common part is an end of the first segment, or of the second if that comes
     * earlier. */
    bool opposite = step < 0.0;
    uint32_t k = (end == 1) != opposite;
    double of_second = start + (k ? step : 0.0), of_first = end;
    bool inner = end ? of_second < of_first - tie : of_second > of_first + tie;
    double t = inner ? of_second : of_first, s = inner ? k : (t - start) / step;
    if (t < -tie || t > 1.0 + tie || s < -tie * length / other || s > 1.0 + tie * length / other)
      continue;
    bool ends = !inner && fabs(of_second - of_first) <= tie;
    ct_vec3 at = inner ? q[k].at : p[end].at,
            over = inner ? ct_lerp(p[0].at, p[1].at, t) : ct_lerp(q[0].at, q[1].at, s);
    double gap = ct_dot(c->view.normal, ct_sub(over, at));
    ct_contact_candidate candidate = {.at = at, .on_second = inner, .distance = inner ? -gap : gap};
    candidate.a = inner ? first->inside : get_corner_feature(&p[end]);
    candidate.b = inner || ends ? get_corner_feature(&q[k]) : second->inside;
    ct_contacts_add(c, &candidate);
  }
}

void ct_contacts_overlap(ct_contacts *contacts, const ct_supporting_face *first,
                         const ct_supporting_face *second) {
  if (first->kind == CT_SUPPORTING_FACE_POINT || second->kind == CT_SUPPORTING_FACE_POINT) return;
  if (first->kind == CT_SUPPORTING_FACE_DISC || second->kind == CT_SUPPORTING_FACE_DISC) {
    intersect_discs(contacts, first, second);
    return;
  }
  if (first->kind == CT_SUPPORTING_FACE_SEGMENT && second->kind == CT_SUPPORTING_FACE_SEGMENT) {
    intersect_parallel_segments(contacts, first, second);
    return;
  }
  bool polygons = first->kind == second->kind;
  assert(polygons ||
         first->kind + second->kind == CT_SUPPORTING_FACE_SEGMENT + CT_SUPPORTING_FACE_POLYGON);
  /* The frame is the face that is less inclined; within CT_PARALLEL_ANGLE, that of the first
   * body. */
  bool first_frames = polygons ? first->tilt <= second->tilt + CT_PARALLEL_ANGLE
                               : first->kind == CT_SUPPORTING_FACE_POLYGON;
  overlap o = {contacts, first_frames ? first : second, first_frames ? second : first};
  if (polygons) intersect_polygons(&o);
  else intersect_segment_polygon(&o);
}
