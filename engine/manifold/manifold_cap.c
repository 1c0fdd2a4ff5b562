/* Contact points of discs (caps of cylinders and cones) against discs, polygons and segments.
 *
 * Points: quarter points of the rim inside the other face, corners over the disc, crossings of
 * edges with the rim, and crossings of two rims. The projection of a leaning disc is an ellipse;
 * all tests are made in the disc's own plane, where it is a circle.
 */
#include "manifold/manifold.h"

/* A disc and the supporting face of the other body. */
typedef struct cap {
  ct_contacts *contacts;
  const ct_supporting_face *disc, *other;
} cap;

void ct_rim_points(ct_vec3 axis, ct_vec3 across, ct_vec3 down, double slack, ct_vec3 out[4]) {
  ct_vec3 flat = ct_add_scaled(down, axis, -ct_dot(down, axis));
  out[0] = ct_norm(flat) <= slack ? across : ct_unit_or(flat, across);
  out[1] = ct_cross(axis, out[0]);
  out[2] = ct_neg(out[0]);
  out[3] = ct_neg(out[1]);
}

/* Adds a candidate at candidate->at, a point of the disc's body if on_disc, else of the other body.
 * The distance is measured to the other surface along the normal. */
static void add_disc_candidate(const cap *c, ct_feature of_disc, ct_feature of_other,
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

/* Vector from the disc's centre to the point of its plane at a position of the view. */
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

/* Adds quarter points of the rim that are over the other supporting face, a disc or a polygon. */
static void add_rim_quarter_points(const cap *c) {
  const ct_view *view = &c->contacts->view;
  const ct_slope *s = &c->other->slopes.items[0];
  /* direction in which the gap to the other surface decreases fastest */
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

/* Adds the crossings of the line from p to q with the rim. A line inside the rim by less than a tie
 * is a tangent: no crossing. A crossing at an end of the line is that corner: no crossing. */
static void add_rim_line_crossings(const cap *c, const ct_corner *p, const ct_corner *q,
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

static void add_polygon_points(const cap *c) {
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
static void add_rim_rim_crossings(const cap *c) {
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

void ct_contacts_disc(ct_contacts *contacts, const ct_supporting_face *first,
                      const ct_supporting_face *second) {
  bool discs = first->kind == second->kind, first_disc = first->kind == CT_SUPPORTING_FACE_DISC;
  cap c = {contacts, first_disc ? first : second, first_disc ? second : first};
  if (c.other->kind != CT_SUPPORTING_FACE_SEGMENT) add_rim_quarter_points(&c);
  if (!discs) {
    add_polygon_points(&c);
    return;
  }
  cap back = {contacts, second, first};
  add_rim_quarter_points(&back);
  if (first->tilt <= CT_PARALLEL_ANGLE && second->tilt <= CT_PARALLEL_ANGLE)
    add_rim_rim_crossings(&c);
}
