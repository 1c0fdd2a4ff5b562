/* Overlap of two supporting faces in the view: polygon against polygon or segment, segment against
 * segment.
 *
 * The overlap of two convex polygons has three kinds of corners: corners of the one inside the
 * other, the reverse, and edge crossings. Distances are measured between the two surfaces along the
 * pair's normal, so that no point is deeper than the pair. Discs: manifold_cap.c.
 */
#include "manifold/manifold.h"

#define SIDE CT_CLIP_SIDE

/* The clipping face (`frame`, the reference face) and the clipped face or segment (`body`). */
typedef struct overlap {
  ct_contacts *contacts;
  const ct_supporting_face *frame, *body; /* frame: POLYGON; body: POLYGON or SEGMENT */
} overlap;

static double compute_view_height(const overlap *o, ct_vec3 at) {
  return ct_dot(o->contacts->view.normal, at);
}

/* Adds a candidate with features in the order frame, body. `at` is a point of the body unless
 * on_frame. */
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

/* Signed distance of a position from a side, positive inside, times the side's length. */
static double compute_frame_side_level(const ct_corner *from, const ct_corner *to,
                                       const ct_corner *p) {
  return (to->x - from->x) * (p->y - from->y) - (to->y - from->y) * (p->x - from->x);
}

static bool are_corners_near(const ct_corner *p, const ct_corner *q, double tie) {
  return fabs(p->x - q->x) <= tie && fabs(p->y - q->y) <= tie;
}

/* Origin of a corner of the clipped polygon, from the edges before and after it. */
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

/* Adds the frame's corner at an end of a side if a position coincides with it. */
static bool add_frame_side_end(const overlap *o, const ct_corner *at, uint32_t side) {
  double tie = 2.0 * o->contacts->tie;
  const ct_corner *from = &o->frame->corners.items[side], *to = get_frame_side_end(o, side);
  const ct_corner *end = are_corners_near(at, from, tie) ? from
                         : are_corners_near(at, to, tie) ? to
                                                         : NULL;
  if (end) add_frame_corner_candidate(o, end);
  return end != NULL;
}

/* Adds an edge crossing. A crossing on a corner is that corner. Two coincident crossings are the
 * frame's corner between their sides or, on one side, a single crossing. If the overlap is a single
 * point, the sides come in any order. */
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
  const ct_corner_list *clipped =
      ct_contacts_clip(o->contacts, &o->frame->corners, &o->body->corners);
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

/* The feature of the frame that a line crosses on a side: a corner of the frame, else the side. */
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

/* Adds the ends of the part of a segment over a polygon: its own ends, or its crossings with sides.
 */
static void intersect_segment_polygon(const overlap *o) {
  const ct_corner *p = &o->body->corners.items[0], *q = &o->body->corners.items[1];
  const ct_corner_list *frame = &o->frame->corners;
  double low = 0.0, high = 1.0, tie = o->contacts->tie;
  uint32_t low_side = SIDE, high_side = SIDE;
  /* clip the parameter interval of the segment by each side */
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
  /* Coincident ends are one point: the end of the segment, else the first crossing. */
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

/* Adds the ends of the shared part of two segments that are parallel in the view. */
static void intersect_parallel_segments(ct_contacts *c, const ct_supporting_face *first,
                                        const ct_supporting_face *second) {
  const ct_corner *p = first->corners.items, *q = second->corners.items;
  double dx = p[1].x - p[0].x, dy = p[1].y - p[0].y, ex = q[1].x - q[0].x, ey = q[1].y - q[0].y;
  double length = sqrt(dx * dx + dy * dy), other = sqrt(ex * ex + ey * ey);
  if (fabs(dx * ey - dy * ex) > CT_PARALLEL_ANGLE * length * other) return;
  double start = ((q[0].x - p[0].x) * dx + (q[0].y - p[0].y) * dy) / (length * length);
  double step = (ex * dx + ey * dy) / (length * length), tie = c->tie / length;
  for (int end = 0; end < 2; end++) {
    /* the end of the shared part: of the first segment, or of the second if it comes earlier */
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
    ct_contacts_disc(contacts, first, second);
    return;
  }
  if (first->kind == CT_SUPPORTING_FACE_SEGMENT && second->kind == CT_SUPPORTING_FACE_SEGMENT) {
    intersect_parallel_segments(contacts, first, second);
    return;
  }
  bool polygons = first->kind == second->kind;
  /* the face that leans less is the frame; ties go to the first body */
  bool first_frames = polygons ? first->tilt <= second->tilt + CT_PARALLEL_ANGLE
                               : first->kind == CT_SUPPORTING_FACE_POLYGON;
  overlap o = {contacts, first_frames ? first : second, first_frames ? second : first};
  if (polygons) intersect_polygons(&o);
  else intersect_segment_polygon(&o);
}
