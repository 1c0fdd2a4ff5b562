/* Points of two boxes without rounding and margin, on the stack: what outlines, clip and overlap find, without their lists.
 *
 * A scene has more pairs of boxes than of all else. Every coordinate and every distance is computed as in outline.c,
 * manifold_clip.c and manifold_face.c, so that the points are the same to the bit; choices that hang on round-off, edges that lie
 * side by side, and clips that go wrong are left to those. Sutherland, Hodgman 1974.
 */
#include "narrow/manifold.h"
#include "narrow/quick.h"

#define SIDE CT_CLIP_SIDE
/* Of the extents of both: separations of faces within this of their limit are left to the outlines. */
#define UNSURE 1e-9
/* Corners of a clipped face: eight, and what round-off may add. A cut adds at most half as many as there are. */
#define CORNERS_MAX 16
#define CORNERS_SURE 10

typedef struct corner {
  ct_vec3 at;
  double x, y; /* in the view */
  uint32_t vertex, edge;
} corner;

/* A box's face that is most nearly across the normal. */
typedef struct face {
  bool second;
  int axis;
  bool positive;
  double cosine, tilt, half;
  ct_vec3 normal; /* outward, unit */
  ct_vec3 slope;  /* height over the view: x px + y py + z */
  corner corners[4];
} face;

typedef struct boxes {
  ct_contacts *contacts;
  double half[2][3];
  ct_vec3 axis[2][3]; /* unit, in the frame of the pair */
  double cosine[2][3];
  ct_vec3 center[2];
  double extent[2];
} boxes;

CT_INLINE void place(ct_contacts *c, boxes *s) {
  const ct_vec3 p = c->a.shape->box.half, q = c->b.shape->box.half, n = c->view.normal, m = ct_neg(n);
  const ct_mat3 *r = &c->relative.rotation;
  s->contacts = c;
  s->half[0][0] = p.x, s->half[0][1] = p.y, s->half[0][2] = p.z;
  s->half[1][0] = q.x, s->half[1][1] = q.y, s->half[1][2] = q.z;
  s->axis[0][0] = ct_vec(1.0, 0.0, 0.0);
  s->axis[0][1] = ct_vec(0.0, 1.0, 0.0);
  s->axis[0][2] = ct_vec(0.0, 0.0, 1.0);
  s->axis[1][0] = ct_vec(r->rx.x, r->ry.x, r->rz.x);
  s->axis[1][1] = ct_vec(r->rx.y, r->ry.y, r->rz.y);
  s->axis[1][2] = ct_vec(r->rx.z, r->ry.z, r->rz.z);
  s->cosine[0][0] = n.x, s->cosine[0][1] = n.y, s->cosine[0][2] = n.z;
  s->center[0] = ct_vec(0.0, 0.0, 0.0);
  s->center[1] = c->relative.position;
  s->extent[0] = ct_norm(p);
  s->extent[1] = ct_norm(q);
  for (int k = 0; k < 3; k++) s->cosine[1][k] = ct_dot(m, s->axis[1][k]);
}

CT_INLINE void find_face(const boxes *s, bool second, face *out) {
  const double *cosine = s->cosine[second];
  int i = fabs(cosine[1]) > fabs(cosine[0]) ? 1 : 0;
  if (fabs(cosine[2]) > fabs(cosine[i])) i = 2;
  ct_vec3 n = s->contacts->view.normal, way = second ? ct_neg(n) : n;
  out->second = second;
  out->axis = i;
  out->positive = cosine[i] >= 0.0;
  out->cosine = fabs(cosine[i]);
  out->half = s->half[second][i];
  out->normal = ct_scale(s->axis[second][i], out->positive ? 1.0 : -1.0);
  out->tilt = ct_norm(ct_sub(out->normal, way));
}

/* ---- face or edge ---- */

typedef enum verdict { NO, YES, OPEN } verdict;

/* May the bodies be said to meet on a face? */
CT_INLINE verdict meets_on(const boxes *s, const face *f) {
  if (f->tilt <= CT_PARALLEL_ANGLE) return YES;
  if (f->cosine < CT_FACE_COSINE_MIN) return NO;
  ct_vec3 n = f->second ? ct_neg(f->normal) : f->normal;
  const double *half = s->half[!f->second];
  double distance = s->contacts->distance, level = ct_dot(n, s->center[1]) - f->half;
  for (int k = 0; k < 3; k++) level -= half[k] * fabs(ct_dot(n, s->axis[!f->second][k]));
  double least = distance - CT_FACE_OVER_EDGE_SIZE * ct_min2(s->extent[0], s->extent[1]) - CT_FACE_OVER_EDGE * fabs(level);
  double unsure = UNSURE * (s->extent[0] + s->extent[1] + fabs(distance));
  if (fabs(level - least) <= unsure) return OPEN;
  return level > least ? YES : NO;
}

/* The edge that lies across the normal, or the vertex; returns the edge's half or zero. */
static ct_vec3 edge_of(const boxes *s, int which, ct_feature *feature) {
  uint32_t top = 0;
  int along = -1;
  for (int i = 0; i < 3; i++) {
    top |= (uint32_t)(s->cosine[which][i] >= 0.0) << i;
    if (fabs(s->cosine[which][i]) <= CT_PARALLEL_ANGLE) along = i;
  }
  *feature = along < 0 ? (ct_feature){CT_FEATURE_VERTEX, top} : (ct_feature){CT_FEATURE_EDGE, ct_box_edge(along, top)};
  return along < 0 ? ct_vec(0.0, 0.0, 0.0) : ct_scale(s->axis[which][along], s->half[which][along]);
}

/* Two boxes on no face: do their edges part ways in the view beyond doubt? */
static bool edges_cross(const boxes *s, ct_meeting *own) {
  const ct_view *view = &s->contacts->view;
  ct_vec3 p = edge_of(s, 0, &own->a), q = edge_of(s, 1, &own->b);
  if (own->a.kind == CT_FEATURE_VERTEX || own->b.kind == CT_FEATURE_VERTEX) return true;
  double px = ct_dot(view->x, p), py = ct_dot(view->y, p), qx = ct_dot(view->x, q), qy = ct_dot(view->y, q);
  return fabs(px * qy - py * qx) > 2.0 * CT_PARALLEL_ANGLE * (fabs(px) + fabs(py)) * (fabs(qx) + fabs(qy));
}

/* ---- faces ---- */

static void find_corners(const boxes *s, face *f) {
  const ct_view *view = &s->contacts->view;
  ct_vec3 arm[3];
  for (int k = 0; k < 3; k++) arm[k] = ct_scale(s->axis[f->second][k], s->half[f->second][k]);
  uint32_t ring[4][2];
  ct_outline_box_ring(f->axis, f->positive, f->second, ring);
  for (int i = 0; i < 4; i++) {
    uint32_t v = ring[i][0];
    double x = v & 1 ? 1.0 : -1.0, y = v & 2 ? 1.0 : -1.0, z = v & 4 ? 1.0 : -1.0;
    ct_vec3 at = ct_add(s->center[f->second], ct_add_scaled(ct_add_scaled(ct_scale(arm[0], x), arm[1], y), arm[2], z));
    f->corners[i] = (corner){at, ct_dot(view->x, at), ct_dot(view->y, at), v, ring[i][1]};
  }
  double along = ct_dot(f->normal, view->normal), offset = ct_dot(f->normal, s->center[f->second]) + f->half;
  f->slope = ct_vec(-ct_dot(f->normal, view->x) / along, -ct_dot(f->normal, view->y) / along, offset / along);
}

/* Cuts a polygon by a side of the frame; how many corners are left in `out`, or UINT32_MAX where all are inside. */
static uint32_t cut(const corner *in, uint32_t n, const corner *frame, uint32_t side, double slack, corner *out) {
  const corner *from = &frame[side], *to = &frame[(side + 1) & 3];
  double dx = to->x - from->x, dy = to->y - from->y, level[CORNERS_MAX], least = 0.0;
  for (uint32_t i = 0; i < n; i++) {
    level[i] = dx * (in[i].y - from->y) - dy * (in[i].x - from->x);
    least = ct_min2(least, level[i]);
  }
  if (least >= 0.0) return UINT32_MAX;
  double limit = -slack * sqrt(dx * dx + dy * dy);
  if (least >= limit) return UINT32_MAX;
  uint32_t count = 0;
  for (uint32_t i = 0, p = n - 1; i < n; p = i++) {
    bool was_in = level[p] >= limit, is_in = level[i] >= limit;
    if (was_in != is_in) {
      double t = ct_min2(ct_max2(level[p] / (level[p] - level[i]), 0.0), 1.0);
      const corner *u = &in[p], *v = &in[i];
      out[count++] =
          (corner){ct_lerp(u->at, v->at, t), u->x + t * (v->x - u->x), u->y + t * (v->y - u->y), 0, was_in ? SIDE | side : u->edge};
    }
    if (is_in) out[count++] = in[i];
  }
  return count;
}

/* Which face clips, and what is left of the other. */
typedef struct overlap {
  const boxes *boxes;
  const face *frame, *body;
  const corner *corners;
  uint32_t count;
} overlap;

static void add(const overlap *o, ct_feature of_frame, ct_feature of_body, ct_vec3 at, bool on_frame) {
  ct_contacts *c = o->boxes->contacts;
  const ct_view *view = &c->view;
  const ct_vec3 *slope = &(on_frame ? o->body : o->frame)->slope;
  double x = ct_dot(view->x, at), y = ct_dot(view->y, at);
  double gap = slope->x * x + slope->y * y + slope->z - ct_dot(view->normal, at);
  bool second = on_frame == o->frame->second, turned = o->frame->second;
  double distance = second ? -gap : gap;
  if (!(distance <= c->reach)) return;
  ct_vec3 other = ct_add_scaled(at, view->normal, second ? -distance : distance);
  c->memory->points[c->memory->count++] = (ct_contact_point){.a = turned ? of_body : of_frame,
                                                             .b = turned ? of_frame : of_body,
                                                             .point_a = second ? other : at,
                                                             .point_b = second ? at : other,
                                                             .normal = view->normal,
                                                             .distance = distance};
}

static ct_feature inside_of(const face *f) { return (ct_feature){CT_FEATURE_FACE, 2u * (uint32_t)f->axis + (uint32_t)f->positive}; }

static void add_frame_corner(const overlap *o, uint32_t side) {
  const corner *c = &o->frame->corners[side & ~SIDE];
  add(o, (ct_feature){CT_FEATURE_VERTEX, c->vertex}, inside_of(o->body), c->at, true);
}

static bool near(const corner *p, const corner *q, double slack) {
  return fabs(p->x - q->x) <= slack && fabs(p->y - q->y) <= slack;
}

/* Is the corner a crossing of edges, one of each face? */
static bool crosses(const corner *before, const corner *c) { return (before->edge & SIDE) != (c->edge & SIDE); }

/* As in manifold_face.c: those that fall on a corner are that corner, two that fall together the frame's corner or one. */
static void add_crossing(const overlap *o, uint32_t i) {
  const corner *c = o->corners;
  uint32_t n = o->count, p = i == 0 ? n - 1 : i - 1, q = i + 1 == n ? 0 : i + 1;
  bool side_in = c[p].edge & SIDE;
  double slack = 2.0 * o->boxes->contacts->slack;
  if (near(&c[i], &c[p], slack)) {
    if (!side_in && crosses(&c[p == 0 ? n - 1 : p - 1], &c[p])) add_frame_corner(o, c[i].edge);
    return;
  }
  if (near(&c[i], &c[q], slack) && (side_in || !crosses(&c[i], &c[q]))) return;
  uint32_t side = (side_in ? c[p].edge : c[i].edge) & ~SIDE, edge = side_in ? c[i].edge : c[p].edge;
  add(o, (ct_feature){CT_FEATURE_EDGE, o->frame->corners[side].edge}, (ct_feature){CT_FEATURE_EDGE, edge}, c[i].at, false);
}

static void add_points(const overlap *o) {
  const corner *c = o->corners;
  for (uint32_t i = 0; i < o->count; i++) {
    const corner *before = &c[i == 0 ? o->count - 1 : i - 1];
    if (crosses(before, &c[i])) add_crossing(o, i);
    else if (c[i].edge & SIDE) add_frame_corner(o, c[i].edge);
    else add(o, inside_of(o->frame), (ct_feature){CT_FEATURE_VERTEX, c[i].vertex}, c[i].at, false);
  }
}

/* Of two faces; false: the clip is out of hand. */
static bool meet_on_faces(const boxes *s, face f[2]) {
  find_corners(s, &f[0]);
  find_corners(s, &f[1]);
  bool first = f[0].tilt <= CT_PARALLEL_ANGLE || f[0].tilt <= f[1].tilt;
  overlap o = {s, &f[!first], &f[first], f[first].corners, 4};
  corner lists[2][CORNERS_MAX];
  for (uint32_t side = 0; side < 4 && o.count > 0; side++) {
    if (o.count > CORNERS_SURE) return false;
    corner *out = lists[o.corners == lists[0]];
    uint32_t left = cut(o.corners, o.count, o.frame->corners, side, s->contacts->slack, out);
    if (left == UINT32_MAX) continue;
    o.corners = out;
    o.count = left;
  }
  add_points(&o);
  return true;
}

/* Features of the pair's own point where it is needed. */
static void find_own(const boxes *s, const face f[2], ct_meeting *own) {
  const ct_manifold_memory *m = s->contacts->memory;
  double least = INFINITY;
  for (uint32_t i = 0; i < m->count; i++) least = ct_min2(least, m->points[i].distance);
  if (least <= own->distance + 2.0 * s->contacts->slack) return;
  edge_of(s, 0, &own->a);
  edge_of(s, 1, &own->b);
  if (f[0].tilt <= CT_PARALLEL_ANGLE) own->a = inside_of(&f[0]);
  if (f[1].tilt <= CT_PARALLEL_ANGLE) own->b = inside_of(&f[1]);
}

bool ct_contacts_boxes(ct_contacts *c, double clearance, ct_meeting *own) {
  if (c->memory->capacity < CORNERS_MAX) return false;
  boxes s;
  face f[2];
  place(c, &s);
  c->slack = CT_ROUNDOFF_FACTOR * CT_UNIT_ROUNDOFF * (ct_max2(s.extent[0], s.extent[1]) + fabs(c->distance));
  c->reach = clearance + c->slack;
  find_face(&s, false, &f[0]);
  find_face(&s, true, &f[1]);
  verdict on_a = meets_on(&s, &f[0]), on_b = on_a == YES ? YES : meets_on(&s, &f[1]);
  if (on_a == YES || on_b == YES) {
    if (!meet_on_faces(&s, f)) return false;
    find_own(&s, f, own);
    return true;
  }
  if (on_a == OPEN || on_b == OPEN) return false;
  ct_meeting crossing = *own;
  if (!edges_cross(&s, &crossing)) return false;
  *own = crossing;
  return true;
}
