/* Clips one convex polygon by another one in the view.
 *
 * Small polygons: Sutherland, Hodgman 1974, corner by corner for each side. Large polygons: a
 * linked ring, of which only the arc beyond each side is visited. As the sides turn, the corner
 * farthest beyond them advances around the ring once, so the total cost is linear; O'Rourke, Chien,
 * Olson, Naddor 1982 advance along both polygons in the same manner.
 */
#include "manifold/manifold.h"
#include "pair/workspace.h"

#include <stdlib.h>

/* Largest product of corners and sides for the quadratic method: about a tenth of a millisecond. */
#define SMALL_STEPS_MAX 65536u

/* Signed distance of a position from a side, positive inside, times the side's length. */
static double compute_side_level(const ct_corner *from, const ct_corner *to, const ct_corner *p) {
  return (to->x - from->x) * (p->y - from->y) - (to->y - from->y) * (p->x - from->x);
}

/* The crossing of the edge from p to q with a side, from the levels of both ends. */
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
 * within a tie of the side count as inside. */
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
      c->edge = level_p >= limit ? CT_CLIP_SIDE | side : p->edge;
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

/* The polygon as a doubly linked ring of corners. */
typedef struct ring {
  ct_corner *items;
  uint32_t (*link)[2];
  uint32_t used, count, at; /* slots used, corners in the ring, one corner of the ring */
} ring;

/* A side of the clipping polygon. */
typedef struct side {
  const ct_corner *from, *to;
  uint32_t number;
  double limit; /* corners with a lower level are outside */
} side;

static double compute_ring_level(const ring *r, const side *s, uint32_t i) {
  return compute_side_level(s->from, s->to, &r->items[i]);
}

/* Moves r->at in one direction to the lowest corner, as long as levels decrease except for
 * round-off. Returns its level. */
static double descend_to_lowest(ring *r, const side *s, int direction) {
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

/* Finds the first inside corner in one direction from r->at, which is outside; `last` is the corner
 * before it. False: all are outside. */
static bool find_first_inside(const ring *r, const side *s, int direction, uint32_t *last,
                              uint32_t *first) {
  uint32_t i = r->at;
  for (uint32_t left = r->count; left > 0; left--) {
    *last = i;
    i = r->link[i][direction];
    *first = i;
    if (compute_ring_level(r, s, i) >= s->limit) return true;
  }
  return false;
}

static void link_corners(ring *r, uint32_t p, uint32_t q) {
  r->link[p][AFTER] = q;
  r->link[q][BEFORE] = p;
}

/* Clips the ring by one side: two crossings replace the outside corners. False: nothing is left. */
static bool clip_ring_by_side(ring *r, const side *s) {
  descend_to_lowest(r, s, AFTER);
  if (descend_to_lowest(r, s, BEFORE) >= s->limit) return true;
  /* ends of the outside arc, and the crossings there */
  uint32_t p, out_p, q, out_q;
  if (!find_first_inside(r, s, BEFORE, &out_p, &p) || !find_first_inside(r, s, AFTER, &out_q, &q))
    return false;
  const ct_corner *c = r->items;
  ct_corner first = interpolate_crossing(&c[p], &c[out_p], compute_ring_level(r, s, p),
                                         compute_ring_level(r, s, out_p));
  ct_corner second = interpolate_crossing(&c[out_q], &c[q], compute_ring_level(r, s, out_q),
                                          compute_ring_level(r, s, q));
  first.edge = CT_CLIP_SIDE | s->number;
  second.edge = c[out_q].edge;
  /* replace the arc by the two crossings */
  for (uint32_t i = out_p; i != q; i = r->link[i][AFTER]) r->count--;
  uint32_t slot = out_p == out_q ? r->used++ : out_q;
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
  ring r = {m->cut[0].items, m->link, in->count, in->count, 0};
  for (uint32_t i = 0; i < in->count; i++) {
    r.items[i] = in->items[i];
    link_corners(&r, i, i + 1 == in->count ? 0 : i + 1);
  }
  /* clip by each side; the cancellation flag is tested once a side */
  ct_corner_list *out = &m->cut[1];
  out->count = 0;
  for (uint32_t k = 0; k < frame->count; k++) {
    contacts->cut_short = contacts->cut_short || ct_cancel_raised(contacts->workspace->mesh.cancel);
    if (contacts->cut_short) return NULL;
    side s = {&frame->items[k], get_side_end(frame, k), k, 0.0};
    s.limit = -contacts->tie * compute_side_length(s.from, s.to);
    if (!clip_ring_by_side(&r, &s)) return out;
  }
  for (uint32_t i = r.at; out->count < r.count; i = r.link[i][AFTER])
    out->items[out->count++] = r.items[i];
  return out;
}

const ct_corner_list *ct_contacts_clip(ct_contacts *contacts, const ct_corner_list *frame,
                                       const ct_corner_list *body) {
  ct_corner_list *lists = contacts->memory->cut;
  uint32_t capacity = body->count + frame->count + 2;
  bool reserved =
      ct_corner_list_reserve(&lists[0], capacity) && ct_corner_list_reserve(&lists[1], capacity);
  contacts->failed = contacts->failed || !reserved;
  if (contacts->failed) return NULL;
  bool small = (uint64_t)body->count * frame->count <= SMALL_STEPS_MAX;
  return small ? clip_small(contacts, frame, body) : clip_large(contacts, frame, body);
}
