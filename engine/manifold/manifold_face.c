/* Two outlines that overlap in the view: faces against faces and lines, lines against lines.
 *
 * The overlap of two convex polygons has three sorts of corners: corners of one over the inside of the other, and crossings of
 * edges. Distances are taken along the pair's normal, between the surfaces themselves, so that no point is deeper than the pair.
 */
#include "manifold/manifold.h"

#define SIDE CT_CLIP_SIDE

/* Which outline clips, and what the other is. */
typedef struct overlap {
  ct_contacts *contacts;
  const ct_supporting_face *frame, *body; /* frame: POLYGON; body: POLYGON or SEGMENT */
} overlap;

static double height_of(const overlap *o, ct_vec3 at) { return ct_dot(o->contacts->view.normal, at); }

/* A meeting with features in the order of frame and body. `at` is on the body unless on_frame. */
static void add(const overlap *o, ct_feature of_frame, ct_feature of_body, ct_vec3 at, bool on_frame) {
  double x = ct_dot(o->contacts->view.x, at), y = ct_dot(o->contacts->view.y, at), height = height_of(o, at);
  const ct_supporting_face *other = on_frame ? o->body : o->frame;
  double gap = ct_supporting_face_height(other, x, y) - height;
  bool second = on_frame == o->frame->second;
  ct_contact_candidate meeting = {.at = at, .on_second = second, .distance = second ? -gap : gap};
  meeting.a = o->frame->second ? of_body : of_frame;
  meeting.b = o->frame->second ? of_frame : of_body;
  ct_contacts_add(o->contacts, &meeting);
}

static ct_feature feature(ct_feature_kind kind, uint32_t index) { return (ct_feature){kind, index}; }
static ct_feature feature_of(const ct_corner *c) { return feature(c->kind, c->vertex); }

/* How far a place is inside a side, times the side's length. */
static double inside(const ct_corner *from, const ct_corner *to, const ct_corner *p) {
  return (to->x - from->x) * (p->y - from->y) - (to->y - from->y) * (p->x - from->x);
}

static bool near(const ct_corner *p, const ct_corner *q, double tie) {
  return fabs(p->x - q->x) <= tie && fabs(p->y - q->y) <= tie;
}

/* What a corner of the clipped polygon is, by the edges before and after it. */
typedef enum corner_sort { OF_BODY, OF_FRAME, CROSSING } corner_sort;

static corner_sort sort_of(const ct_corner *before, const ct_corner *c) {
  bool side_in = before->edge & SIDE, side_out = c->edge & SIDE;
  return side_in != side_out ? CROSSING : side_in ? OF_FRAME : OF_BODY;
}

static const ct_corner *end_of_side(const overlap *o, uint32_t side) {
  return &o->frame->corners.items[side + 1 == o->frame->corners.count ? 0 : side + 1];
}

static void add_frame_corner(const overlap *o, const ct_corner *corner) {
  add(o, feature_of(corner), o->body->inside, corner->at, true);
}

/* Adds the corner of the frame at an end of a side, if a place is one. */
static bool add_end_of_side(const overlap *o, const ct_corner *at, uint32_t side) {
  double tie = 2.0 * o->contacts->tie;
  const ct_corner *from = &o->frame->corners.items[side], *to = end_of_side(o, side);
  const ct_corner *end = near(at, from, tie) ? from : near(at, to, tie) ? to : NULL;
  if (end) add_frame_corner(o, end);
  return end != NULL;
}

/* Crossings that fall on a corner are that corner; two that fall together are the corner of the frame between their sides, or, on
 * one side, one crossing. Of an overlap that is one point the sides come in any order. */
static void add_crossing(const overlap *o, const ct_corner *c, uint32_t n, uint32_t i) {
  uint32_t p = i == 0 ? n - 1 : i - 1, q = i + 1 == n ? 0 : i + 1;
  bool side_in = c[p].edge & SIDE;
  double tie = 2.0 * o->contacts->tie;
  uint32_t side = (side_in ? c[p].edge : c[i].edge) & ~SIDE, edge = side_in ? c[i].edge : c[p].edge;
  if (near(&c[i], &c[p], tie)) {
    if (!side_in && sort_of(&c[p == 0 ? n - 1 : p - 1], &c[p]) == CROSSING) add_end_of_side(o, &c[i], side);
    return;
  }
  if (near(&c[i], &c[q], tie) && (side_in || sort_of(&c[i], &c[q]) != CROSSING)) return;
  if (add_end_of_side(o, &c[i], side)) return;
  add(o, feature(CT_FEATURE_EDGE, o->frame->corners.items[side].edge), feature(CT_FEATURE_EDGE, edge), c[i].at, false);
}

static void polygon_in_polygon(const overlap *o) {
  const ct_corner_list *clipped = ct_contacts_clip(o->contacts, &o->frame->corners, &o->body->corners);
  if (!clipped) return;
  const ct_corner *c = clipped->items;
  uint32_t n = clipped->count;
  for (uint32_t i = 0; i < n; i++) {
    corner_sort sort = sort_of(&c[i == 0 ? n - 1 : i - 1], &c[i]);
    if (sort == CROSSING) add_crossing(o, c, n, i);
    else if (sort == OF_FRAME) add_frame_corner(o, &o->frame->corners.items[c[i].edge & ~SIDE]);
    else add(o, o->frame->inside, feature_of(&c[i]), c[i].at, false);
  }
}

/* What a line crosses at a place of one side: the corner of the frame there, else the side. */
static ct_feature crossed_by_line(const overlap *o, uint32_t side, double t) {
  const ct_corner *p = &o->body->corners.items[0], *q = &o->body->corners.items[1];
  const ct_corner_list *frame = &o->frame->corners;
  const ct_corner *from = &frame->items[side], *to = end_of_side(o, side);
  const ct_corner at = {.x = p->x + t * (q->x - p->x), .y = p->y + t * (q->y - p->y)};
  double tie = 2.0 * o->contacts->tie;
  if (near(&at, from, tie)) return feature_of(from);
  if (near(&at, to, tie)) return feature_of(to);
  return feature(CT_FEATURE_EDGE, from->edge);
}

/* The part of a line over a polygon: its ends, or where it crosses sides. */
static void segment_in_polygon(const overlap *o) {
  const ct_corner *p = &o->body->corners.items[0], *q = &o->body->corners.items[1];
  const ct_corner_list *frame = &o->frame->corners;
  double low = 0.0, high = 1.0, tie = o->contacts->tie;
  uint32_t low_side = SIDE, high_side = SIDE;
  for (uint32_t k = 0; k < frame->count; k++) {
    const ct_corner *from = &frame->items[k], *to = &frame->items[k + 1 == frame->count ? 0 : k + 1];
    double length = sqrt((to->x - from->x) * (to->x - from->x) + (to->y - from->y) * (to->y - from->y));
    double level_p = inside(from, to, p), level_q = inside(from, to, q);
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
  /* Places that are equal are one: the end of the line, else the first. */
  bool one = (high - low) * ct_max2(fabs(q->x - p->x), fabs(q->y - p->y)) <= 2.0 * tie;
  int only = low_side != SIDE && high_side == SIDE;
  for (int end = 0; end < 2; end++) {
    uint32_t side = end ? high_side : low_side;
    if (one && end != only) continue;
    if (side == SIDE) add(o, o->frame->inside, feature_of(end ? q : p), (end ? q : p)->at, false);
    else add(o, crossed_by_line(o, side, end ? high : low), line, ct_lerp(p->at, q->at, end ? high : low), false);
  }
}

/* Two lines that lie side by side in the view: the ends of what they share. */
static void segment_on_segment(ct_contacts *c, const ct_supporting_face *first, const ct_supporting_face *second) {
  const ct_corner *p = first->corners.items, *q = second->corners.items;
  double dx = p[1].x - p[0].x, dy = p[1].y - p[0].y, ex = q[1].x - q[0].x, ey = q[1].y - q[0].y;
  double length = sqrt(dx * dx + dy * dy), other = sqrt(ex * ex + ey * ey);
  if (fabs(dx * ey - dy * ex) > CT_PARALLEL_ANGLE * length * other) return;
  double start = ((q[0].x - p[0].x) * dx + (q[0].y - p[0].y) * dy) / (length * length);
  double step = (ex * dx + ey * dy) / (length * length), tie = c->tie / length;
  for (int end = 0; end < 2; end++) {
    /* The end of the shared part: of the first line, or that of the second which comes earlier. */
    bool turned = step < 0.0;
    uint32_t k = (end == 1) != turned;
    double of_second = start + (k ? step : 0.0), of_first = end;
    bool inner = end ? of_second < of_first - tie : of_second > of_first + tie;
    double t = inner ? of_second : of_first, s = inner ? k : (t - start) / step;
    if (t < -tie || t > 1.0 + tie || s < -tie * length / other || s > 1.0 + tie * length / other) continue;
    bool ends = !inner && fabs(of_second - of_first) <= tie;
    ct_vec3 at = inner ? q[k].at : p[end].at, over = inner ? ct_lerp(p[0].at, p[1].at, t) : ct_lerp(q[0].at, q[1].at, s);
    double gap = ct_dot(c->view.normal, ct_sub(over, at));
    ct_contact_candidate meeting = {.at = at, .on_second = inner, .distance = inner ? -gap : gap};
    meeting.a = inner ? first->inside : feature_of(&p[end]);
    meeting.b = inner || ends ? feature_of(&q[k]) : second->inside;
    ct_contacts_add(c, &meeting);
  }
}

void ct_contacts_overlap(ct_contacts *contacts, const ct_supporting_face *first, const ct_supporting_face *second) {
  if (first->kind == CT_SUPPORTING_FACE_POINT || second->kind == CT_SUPPORTING_FACE_POINT) return;
  if (first->kind == CT_SUPPORTING_FACE_DISC || second->kind == CT_SUPPORTING_FACE_DISC) {
    ct_contacts_disc(contacts, first, second);
    return;
  }
  if (first->kind == CT_SUPPORTING_FACE_SEGMENT && second->kind == CT_SUPPORTING_FACE_SEGMENT) {
    segment_on_segment(contacts, first, second);
    return;
  }
  bool polygons = first->kind == second->kind;
  bool first_frames = polygons ? first->tilt <= second->tilt + CT_PARALLEL_ANGLE : first->kind == CT_SUPPORTING_FACE_POLYGON;
  overlap o = {contacts, first_frames ? first : second, first_frames ? second : first};
  if (polygons) polygon_in_polygon(&o);
  else segment_in_polygon(&o);
}
