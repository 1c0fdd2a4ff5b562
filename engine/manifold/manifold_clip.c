/* Clipping one convex outline by another in the view.
 *
 * Small ones are cut corner by corner, side by side: Sutherland, Hodgman 1974. Of large ones only the arc beyond a side is looked
 * at: sides go round as do the corners that are farthest beyond them, so that the walk from one to the next goes round but once.
 * O'Rourke, Chien, Olson, Naddor 1982 advance along both outlines in the same manner.
 */
#include "manifold/manifold.h"
#include "pair/workspace.h"

#include <stdlib.h>

/* Corners times sides of what is cut in the plain manner: a tenth of a millisecond. */
#define PLAIN_STEPS_MAX 65536u

/* How far a place is inside a side, times the side's length. */
static double inside(const ct_corner *from, const ct_corner *to, const ct_corner *p) {
  return (to->x - from->x) * (p->y - from->y) - (to->y - from->y) * (p->x - from->x);
}

/* Where the way from p to q passes a side, by their levels. */
static ct_corner crossing(const ct_corner *p, const ct_corner *q, double level_p, double level_q) {
  double t = ct_min2(ct_max2(level_p / (level_p - level_q), 0.0), 1.0);
  return (ct_corner){.at = ct_lerp(p->at, q->at, t), .x = p->x + t * (q->x - p->x), .y = p->y + t * (q->y - p->y)};
}

static double length_of(const ct_corner *from, const ct_corner *to) {
  return sqrt((to->x - from->x) * (to->x - from->x) + (to->y - from->y) * (to->y - from->y));
}

static const ct_corner *end_of_side(const ct_corner_list *frame, uint32_t k) {
  return &frame->items[k + 1 == frame->count ? 0 : k + 1];
}

/* ---- in the plain manner ---- */

/* Cuts a polygon by one side of the frame: the list to go on with, `in` itself where all of it is inside. Corners within a
 * tie of the side count as inside. */
static const ct_corner_list *cut(const ct_corner_list *in, const ct_corner *from, const ct_corner *to, uint32_t side, double tie,
                                 ct_corner_list *out) {
  double limit = -tie * length_of(from, to), least = INFINITY;
  for (uint32_t i = 0; i < in->count; i++) least = ct_min2(least, inside(from, to, &in->items[i]));
  if (least >= limit) return in;
  out->count = 0;
  const ct_corner *p = &in->items[in->count - 1];
  double level_p = inside(from, to, p);
  for (uint32_t i = 0; i < in->count; i++) {
    const ct_corner *q = &in->items[i];
    double level_q = inside(from, to, q);
    if ((level_p >= limit) != (level_q >= limit)) {
      ct_corner *c = &out->items[out->count++];
      *c = crossing(p, q, level_p, level_q);
      c->edge = level_p >= limit ? CT_CLIP_SIDE | side : p->edge;
    }
    if (level_q >= limit) out->items[out->count++] = *q;
    p = q;
    level_p = level_q;
  }
  return out;
}

static const ct_corner_list *clip_plain(const ct_contacts *contacts, const ct_corner_list *frame, const ct_corner_list *in) {
  ct_corner_list *lists = contacts->memory->cut;
  for (uint32_t k = 0; k < frame->count; k++)
    in = cut(in, &frame->items[k], end_of_side(frame, k), k, contacts->tie, &lists[in == &lists[0]]);
  return in;
}

/* ---- large ones ---- */

enum { BEFORE, AFTER };

/* The polygon while it is cut: corners that know their neighbours. */
typedef struct ring {
  ct_corner *items;
  uint32_t (*link)[2];
  uint32_t used, count, at; /* places taken, corners left, one of those */
} ring;

/* A side of the frame. */
typedef struct side {
  const ct_corner *from, *to;
  uint32_t number;
  double limit; /* levels below are outside */
} side;

static double level_of(const ring *r, const side *s, uint32_t i) { return inside(s->from, s->to, &r->items[i]); }

/* Goes one way from r->at for as long as levels fall, but for round-off, to the lowest; its level. */
static double descend(ring *r, const side *s, int way) {
  double least = level_of(r, s, r->at);
  uint32_t i = r->at;
  for (uint32_t left = r->count; left > 0; left--) {
    i = r->link[i][way];
    double level = level_of(r, s, i);
    if (level > least - s->limit) break;
    if (level >= least) continue;
    least = level;
    r->at = i;
  }
  return least;
}

/* The first corner inside when going one way from r->at, which is outside; `last` is the one before it. False: there is none. */
static bool leave(const ring *r, const side *s, int way, uint32_t *last, uint32_t *first) {
  uint32_t i = r->at;
  for (uint32_t left = r->count; left > 0; left--) {
    *last = i;
    i = r->link[i][way];
    *first = i;
    if (level_of(r, s, i) >= s->limit) return true;
  }
  return false;
}

static void join(ring *r, uint32_t p, uint32_t q) {
  r->link[p][AFTER] = q;
  r->link[q][BEFORE] = p;
}

/* Two crossings take the place of the corners outside. False: nothing is left. */
static bool cut_ring(ring *r, const side *s) {
  descend(r, s, AFTER);
  if (descend(r, s, BEFORE) >= s->limit) return true;
  uint32_t p, out_p, q, out_q;
  if (!leave(r, s, BEFORE, &out_p, &p) || !leave(r, s, AFTER, &out_q, &q)) return false;
  const ct_corner *c = r->items;
  ct_corner first = crossing(&c[p], &c[out_p], level_of(r, s, p), level_of(r, s, out_p));
  ct_corner second = crossing(&c[out_q], &c[q], level_of(r, s, out_q), level_of(r, s, q));
  first.edge = CT_CLIP_SIDE | s->number;
  second.edge = c[out_q].edge;
  for (uint32_t i = out_p; i != q; i = r->link[i][AFTER]) r->count--;
  uint32_t place = out_p == out_q ? r->used++ : out_q;
  r->items[out_p] = first;
  r->items[place] = second;
  join(r, p, out_p);
  join(r, out_p, place);
  join(r, place, q);
  r->count += 2;
  r->at = place;
  return true;
}

static bool make_links(ct_manifold_scratch *m, uint32_t count) {
  if (count <= m->link_capacity) return true;
  uint32_t(*link)[2] = realloc(m->link, count * sizeof *link);
  if (!link) return false;
  m->link = link;
  m->link_capacity = count;
  return true;
}

static const ct_corner_list *clip_ring(ct_contacts *contacts, const ct_corner_list *frame, const ct_corner_list *in) {
  ct_manifold_scratch *m = contacts->memory;
  contacts->failed = contacts->failed || !make_links(m, in->count + frame->count + 2);
  if (contacts->failed) return NULL;
  ring r = {m->cut[0].items, m->link, in->count, in->count, 0};
  for (uint32_t i = 0; i < in->count; i++) {
    r.items[i] = in->items[i];
    join(&r, i, i + 1 == in->count ? 0 : i + 1);
  }
  ct_corner_list *out = &m->cut[1];
  out->count = 0;
  for (uint32_t k = 0; k < frame->count; k++) {
    contacts->cut_short = contacts->cut_short || ct_cancel_raised(contacts->workspace->mesh.cancel);
    if (contacts->cut_short) return NULL;
    side s = {&frame->items[k], end_of_side(frame, k), k, 0.0};
    s.limit = -contacts->tie * length_of(s.from, s.to);
    if (!cut_ring(&r, &s)) return out;
  }
  for (uint32_t i = r.at; out->count < r.count; i = r.link[i][AFTER]) out->items[out->count++] = r.items[i];
  return out;
}

const ct_corner_list *ct_contacts_clip(ct_contacts *contacts, const ct_corner_list *frame, const ct_corner_list *body) {
  ct_corner_list *lists = contacts->memory->cut;
  uint32_t most = body->count + frame->count + 2;
  bool room = ct_corner_list_reserve(&lists[0], most) && ct_corner_list_reserve(&lists[1], most);
  contacts->failed = contacts->failed || !room;
  if (contacts->failed) return NULL;
  bool plain = (uint64_t)body->count * frame->count <= PLAIN_STEPS_MAX;
  return plain ? clip_plain(contacts, frame, body) : clip_ring(contacts, frame, body);
}
