/* Contact events of random scene histories against a model that evaluates every pair: begun,
 * lasting and ended contacts, their records, and the zero-crossing functions. Bodies of all kinds
 * move, are added, deleted and replaced, and change filters. 200 histories; CONTACTD_FULL=1:
 * 1e4. */
#include "tests/support/blocks.h"
#include "tests/support/contact_states.h"
#include "tests/support/meshes.h"
#include "tests/support/shapes.h"

enum { BODIES_MAX = 48, COLLIDERS_MAX = 40, CONTACTS_MAX = 20000, PALETTE = 48, EVENTS = 5 };

/* 2e-12 of the coordinates: permitted error of a box's bound on the distance. */
#define BOX_SLACK 2e-12
/* One in this many pairs with separate boxes is computed all the same, to verify that the pair is
 * no nearer than its boxes. */
#define FAR_SHARE 16

static int lives(void) { return getenv("CONTACTD_FULL") ? 10000 : 200; }

static uint32_t pick(check_random *r, uint32_t count) { return (uint32_t)(check_next(r) % count); }

/* ---- shapes --------------------------------------------------------------------------------- */

static ct_shape palette[PALETTE];

static ct_shape some_mesh(check_random *r) {
  soup s = {0};
  double size = check_uniform(r, 0.2, 0.5);
  if (pick(r, 3) == 0) soup_sheet(&s, 2);
  else if (pick(r, 2)) soup_octahedron(&s, ct_vec(0, 0, 0), size);
  else soup_box(&s, ct_vec(-size, -0.2, -0.2), ct_vec(size, 0.2, 0.3));
  return soup_shape(&s);
}

static ct_shape some_elements(check_random *r) {
  ct_element_type type = pick(r, 2) ? CT_TETRAHEDRA : CT_HEXAHEDRA;
  block b = block_make(type, 1, 1, 1);
  ct_shape shape = ct_shape_of_elements(block_elements(&b));
  block_free(&b);
  return shape;
}

static ct_shape make_shape(check_random *r, int which) {
  double a = check_uniform(r, 0.2, 0.5), b = check_uniform(r, 0.2, 0.5),
         c = check_uniform(r, 0.2, 0.5);
  switch (which % 16) {
  case 0: return cylinder(a, b);
  case 1: return cone(a, b, 0.5 * c);
  case 2: return ellipsoid(a, b, c);
  case 3: return some_mesh(r);
  case 4: return hull_box(a, b, c);
  case 5: return rounded(box(a, b, c), false, 0.1, 0.05);
  case 6: return some_elements(r);
  case 7:
  case 8: return capsule(a, b, b);
  case 9: return box(0.25, 0.5, 0.25);
  case 10: return box(a, b, c);
  default: return sphere(a);
  }
}

/* ---- the model ------------------------------------------------------------------------------ */

typedef struct model_body {
  char id[16];
  uint64_t serial;
  uint32_t count;
  ct_collider colliders[COLLIDERS_MAX];
  uint32_t labels[COLLIDERS_MAX]; /* labels of the ids of its colliders; 0: no id */
  bool moves, has_center;
  ct_vec3 center;
  int group;
  ct_pose pose;
  ct_velocity velocity;
} model_body;

/* A contact of the model. */
typedef struct model_contact {
  uint64_t serial_a, serial_b;
  uint32_t a, b, collider_a, collider_b; /* indices into this event's list of bodies */
  uint32_t label_a, label_b;             /* of the colliders */
  bool several_a, several_b;             /* at its beginning */
  double distance;                       /* signed */
  bool before;                           /* it was a contact at the previous event */
  uint64_t pair;
  double begun, normal_velocity;
  ct_contact_cause cause;
} model_contact;

typedef struct life {
  check_random random;
  model_body bodies[BODIES_MAX];
  uint32_t count;
  uint64_t serials, begins, ends, last_pair;
  double side, epsilon, time;
  bool snapped, grouped, ruled, rule_collides;
  char rule_a[16], rule_b[16];
  const ct_scene *scene;
  const ct_contact_state *state;
  model_contact *contacts, *found; /* of the previous event, and of this one */
  size_t contact_count, found_count;
  uint64_t serials_before;
  uint64_t narrow_least, narrow_most, total; /* of pairs of colliders */
} life;

static ct_pose some_pose(life *l) {
  check_random *r = &l->random;
  ct_pose pose = random_pose(r, l->side);
  if (!l->snapped) return pose;
  pose.position = ct_scale(
      ct_vec(round(2 * pose.position.x), round(2 * pose.position.y), round(2 * pose.position.z)),
      0.5);
  pose.rotation = ct_quat_identity();
  return pose;
}

static ct_velocity some_velocity(check_random *r) {
  return (ct_velocity){
      {check_uniform(r, -1, 1), check_uniform(r, -1, 1), check_uniform(r, -1, 1)},
      {pick(r, 2) ? check_uniform(r, -3, 3) : 0, 0, pick(r, 2) ? check_uniform(r, -3, 3) : 0}};
}

static ct_text id_of_label(uint32_t label) {
  static char texts[COLLIDERS_MAX + 2][8];
  if (label == 0) return (ct_text){"", 0};
  snprintf(texts[label], sizeof texts[label], "part%d", (int)label);
  return text_of(texts[label]);
}

/* The same colliders in another order. */
static void shuffle_colliders(life *l, model_body *m) {
  for (uint32_t i = m->count - 1; i > 0; i--) {
    uint32_t k = pick(&l->random, i + 1);
    ct_collider collider = m->colliders[i];
    uint32_t label = m->labels[i];
    m->colliders[i] = m->colliders[k];
    m->labels[i] = m->labels[k];
    m->colliders[k] = collider;
    m->labels[k] = label;
  }
}

static void make_colliders(life *l, model_body *m) {
  check_random *r = &l->random;
  uint32_t kind = pick(r, 40);
  m->count = kind < 28 ? 1 : kind < 39 ? 2 + pick(r, 2) : COLLIDERS_MAX;
  for (uint32_t i = 0; i < m->count; i++) {
    m->colliders[i] = (ct_collider){.shape = palette[pick(r, PALETTE)], .pose = ct_pose_identity()};
    if (m->count == COLLIDERS_MAX) m->colliders[i].shape = sphere_of(0.1);
    if (i > 0) m->colliders[i].pose = random_pose(r, 1.0);
    if (l->snapped) m->colliders[i].pose.rotation = ct_quat_identity();
    m->labels[i] = pick(r, 3) ? i + 1 : 0;
    m->colliders[i].id = id_of_label(m->labels[i]);
  }
  shuffle_colliders(l, m);
  if (m->count == 1 && pick(r, 25) == 0) m->colliders[0].shape = plane_of();
  m->moves = pick(r, 3) > 0;
  m->has_center = pick(r, 2);
  m->center = ct_vec(check_uniform(r, -1, 1), 0.25, check_uniform(r, -1, 1));
  m->group = (int)pick(r, 3);
}

static const ct_body *body_of_model(const model_body *m) {
  static const char *names[] = {"red", "blue", "green"};
  const ct_text group = text_of(names[m->group]);
  const ct_motion motion = {.source = CT_MASS_MASS,
                            .value = 1.0,
                            .has_center = m->has_center,
                            .center = m->center,
                            .is_kinematic = m->group == 2,
                            .inertia_orientation = {0, 0, 0, 1}};
  const ct_body_options options = {.id = text_of(m->id),
                                   .colliders = m->colliders,
                                   .collider_count = m->count,
                                   .motion = m->moves ? &motion : NULL,
                                   .groups = &group,
                                   .group_count = 1};
  const ct_body *body = NULL;
  CHECK_INT(ct_body_create(&options, &body), CT_OK);
  return body;
}

static void insert(life *l, ct_draft *draft, const char *id) {
  if (l->count == BODIES_MAX) return;
  model_body *m = &l->bodies[l->count++];
  *m = (model_body){.serial = l->serials++};
  snprintf(m->id, sizeof m->id, "%s", id);
  make_colliders(l, m);
  m->pose = some_pose(l);
  m->velocity = some_velocity(&l->random);
  const ct_body *body = body_of_model(m);
  CHECK_INT(ct_draft_insert(draft, body, &m->pose, &m->velocity, NULL), CT_OK);
  ct_body_release(body);
}

static void remove_one(life *l, ct_draft *draft, uint32_t at) {
  const char *id = l->bodies[at].id;
  CHECK_INT(ct_draft_remove(draft, ct_draft_find(draft, text_of(id))), CT_OK);
  if (l->ruled && (strcmp(id, l->rule_a) == 0 || strcmp(id, l->rule_b) == 0)) l->ruled = false;
  memmove(&l->bodies[at], &l->bodies[at + 1], (l->count - at - 1) * sizeof l->bodies[0]);
  l->count--;
}

static void replace(life *l, ct_draft *draft, uint32_t at) {
  model_body *m = &l->bodies[at];
  if (pick(&l->random, 2)) shuffle_colliders(l, m);
  else make_colliders(l, m);
  const ct_body *body = body_of_model(m);
  CHECK_INT(
      ct_draft_replace(draft, ct_draft_find(draft, text_of(m->id)), body, &m->pose, &m->velocity),
      CT_OK);
  ct_body_release(body);
}

static void set_filters(life *l, ct_draft *draft) {
  check_random *r = &l->random;
  uint32_t a = pick(r, l->count), b = pick(r, l->count);
  l->grouped = pick(r, 2);
  l->ruled = a != b && pick(r, 2);
  l->rule_collides = pick(r, 2);
  memcpy(l->rule_a, l->bodies[a].id, sizeof l->rule_a);
  memcpy(l->rule_b, l->bodies[b].id, sizeof l->rule_b);
  const ct_text blue = text_of("blue");
  const ct_group_rule group = {text_of("red"), &blue, 1};
  const ct_pair_rule pair = {text_of(l->rule_a), text_of(l->rule_b), l->rule_collides, {NULL, 0}};
  const ct_filters filters = {&group, l->grouped, &pair, l->ruled};
  CHECK_INT(ct_draft_set_filters(draft, &filters), CT_OK);
}

static bool excluded(const life *l, const model_body *a, const model_body *b) {
  if (l->ruled && ((strcmp(a->id, l->rule_a) == 0 && strcmp(b->id, l->rule_b) == 0) ||
                   (strcmp(b->id, l->rule_a) == 0 && strcmp(a->id, l->rule_b) == 0)))
    return !l->rule_collides;
  return l->grouped && a->group + b->group == 1;
}

static void move(life *l, ct_draft *draft, uint32_t at) {
  check_random *r = &l->random;
  model_body *m = &l->bodies[at];
  uint32_t row = ct_draft_find(draft, text_of(m->id));
  if (pick(r, 3) == 0) m->pose = some_pose(l);
  else m->pose.position.x += l->snapped ? 0.25 : check_uniform(r, -0.05, 0.05);
  m->velocity = some_velocity(r);
  CHECK_INT(ct_draft_set_pose(draft, row, &m->pose), CT_OK);
  CHECK_INT(ct_draft_set_velocity(draft, row, &m->velocity), CT_OK);
}

static void edit(life *l) {
  check_random *r = &l->random;
  ct_draft *draft = ct_draft_begin(l->scene);
  char id[16];
  for (uint32_t i = 0; i < l->count; i++)
    if (pick(r, 3) == 0) move(l, draft, i);
  if (pick(r, 4) == 0) {
    snprintf(id, sizeof id, "n%d", (int)l->serials);
    insert(l, draft, id);
  }
  if (pick(r, 4) == 0 && l->count > 3) {
    uint32_t at = pick(r, l->count);
    memcpy(id, l->bodies[at].id, sizeof id);
    remove_one(l, draft, at);
    if (pick(r, 2)) insert(l, draft, id);
  }
  if (pick(r, 12) == 0)
    while (l->count > 4) remove_one(l, draft, pick(r, l->count)); /* deleted rows are compacted */
  if (pick(r, 4) == 0) replace(l, draft, pick(r, l->count));
  if (pick(r, 5) == 0) set_filters(l, draft);
  l->scene = seal(draft, l->scene);
}

/* ---- evaluation of every pair ---------------------------------------------------------------- */

typedef struct collider_at {
  ct_placed placed;
  ct_frame frame;
  ct_aabb box;
  bool is_plane;
} collider_at;

static void place_collider(const model_body *m, uint32_t i, collider_at *out) {
  static const ct_pose identity = {{0, 0, 0}, {0, 0, 0, 1}};
  const ct_collider *c = &m->colliders[i];
  out->frame = ct_frame_of(m->pose);
  if (memcmp(&c->pose, &identity, sizeof identity) != 0)
    out->frame = ct_frame_mul(out->frame, ct_frame_of(c->pose));
  out->placed = (ct_placed){&c->shape, &out->frame};
  out->box = ct_shape_aabb(&c->shape, &out->frame);
  out->is_plane = c->shape.kind == CT_KIND_PLANE;
}

/* Height of the box's lowest corner above the plane. */
static double above(const collider_at *plane, const ct_aabb *box) {
  const ct_mat3 *m = &plane->frame.rotation;
  long double n[3] = {m->rx.z, m->ry.z, m->rz.z}, least = INFINITY;
  for (int i = 0; i < 8; i++) {
    long double p[3] = {(i & 1 ? box->min.x : box->max.x) - (long double)plane->frame.position.x,
                        (i & 2 ? box->min.y : box->max.y) - (long double)plane->frame.position.y,
                        (i & 4 ? box->min.z : box->max.z) - (long double)plane->frame.position.z};
    least = fminl(least, n[0] * p[0] + n[1] * p[1] + n[2] * p[2]);
  }
  return (double)least;
}

static double between(double low_a, double high_a, double low_b, double high_b) {
  return fmax(0, fmax(low_a - high_b, low_b - high_a));
}

static double box_distance(const collider_at *a, const collider_at *b) {
  double gap = 0.0;
  if (!a->is_plane && !b->is_plane) {
    double x = between(a->box.min.x, a->box.max.x, b->box.min.x, b->box.max.x);
    double y = between(a->box.min.y, a->box.max.y, b->box.min.y, b->box.max.y);
    double z = between(a->box.min.z, a->box.max.z, b->box.min.z, b->box.max.z);
    gap = (double)sqrtl((long double)x * x + (long double)y * y + (long double)z * z);
  } else if (!a->is_plane || !b->is_plane) {
    gap = fmax(0, a->is_plane ? above(a, &b->box) : above(b, &a->box));
  }
  return gap;
}

static double signed_distance(const collider_at *a, const collider_at *b) {
  const ct_pair_options options = {.tolerance = 0.0, .threshold = INFINITY};
  ct_pair_result result;
  ct_pair_distance(a->placed, b->placed, &options, workspace, &result);
  return result.distance;
}

/* The expected functions, from all pairs. */
typedef struct expected_functions {
  double z1, z2;
  bool any_z1, any_z2;
} expected_functions;

/* A collider with an id is identified by it, another by its index. */
static bool same_collider(uint32_t label_x, uint32_t x, uint32_t label_y, uint32_t y) {
  return label_x == label_y && (label_x || x == y);
}

static model_contact *find_contact(model_contact *list, size_t count, const model_contact *key) {
  for (size_t k = 0; k < count; k++)
    if (list[k].serial_a == key->serial_a && list[k].serial_b == key->serial_b &&
        same_collider(list[k].label_a, list[k].collider_a, key->label_a, key->collider_a) &&
        same_collider(list[k].label_b, list[k].collider_b, key->label_b, key->collider_b))
      return &list[k];
  return NULL;
}

/* Evaluates one pair of colliders that passes the filters. Row 22: boxes are never farther apart
 * than their contents. */
static void look_at(life *l, model_contact key, const collider_at *a, const collider_at *b,
                    expected_functions *z) {
  model_contact *before = find_contact(l->contacts, l->contact_count, &key);
  double gap = box_distance(a, b), slack = BOX_SLACK * (1.0 + l->side);
  bool far = gap > l->epsilon + slack, is_member = before != NULL;
  if (!far || is_member) l->narrow_most++;
  if (is_member || gap <= fmax(0.0, l->epsilon - slack)) l->narrow_least++;
  double distance = gap;
  if (!far || is_member || pick(&l->random, FAR_SHARE) == 0) distance = signed_distance(a, b);
  if (gap > 0.0 && distance < gap - slack) CHECK_FAIL("boxes %g apart, bodies %g", gap, distance);
  if (distance - l->epsilon <= 0.0) {
    if (l->found_count == CONTACTS_MAX) return;
    key.distance = distance;
    key.before = before != NULL;
    if (before) {
      key.pair = before->pair;
      key.several_a = before->several_a;
      key.several_b = before->several_b;
      key.begun = before->begun;
      key.normal_velocity = before->normal_velocity;
      key.cause = before->cause;
    }
    l->found[l->found_count++] = key;
    z->z1 = z->any_z1 ? fmax(z->z1, distance - l->epsilon - l->epsilon)
                      : distance - l->epsilon - l->epsilon;
    z->any_z1 = true;
  } else {
    if (before) before->distance = distance;
    double value = (far ? gap : distance) - l->epsilon;
    z->z2 = z->any_z2 ? fmin(z->z2, value) : value;
    z->any_z2 = true;
  }
}

/* Evaluates all pairs: the contacts into `found`, in order, and the functions just after the
 * event. */
static expected_functions look_at_all(life *l) {
  expected_functions z = {0};
  static collider_at a[COLLIDERS_MAX], b[COLLIDERS_MAX];
  l->found_count = 0;
  l->narrow_least = l->narrow_most = l->total = 0;
  for (uint32_t i = 0; i < l->count; i++) {
    const model_body *p = &l->bodies[i];
    for (uint32_t k = 0; k < p->count; k++) place_collider(p, k, &a[k]);
    for (uint32_t j = i + 1; j < l->count; j++) {
      const model_body *q = &l->bodies[j];
      if (!p->moves && !q->moves) continue;
      l->total += (uint64_t)p->count * q->count;
      if (excluded(l, p, q)) continue;
      for (uint32_t k = 0; k < q->count; k++) place_collider(q, k, &b[k]);
      for (uint32_t m = 0; m < p->count; m++)
        for (uint32_t n = 0; n < q->count; n++)
          look_at(l,
                  (model_contact){.serial_a = p->serial,
                                  .serial_b = q->serial,
                                  .a = i,
                                  .b = j,
                                  .collider_a = m,
                                  .collider_b = n,
                                  .label_a = p->labels[m],
                                  .label_b = q->labels[n],
                                  .several_a = p->count > 1,
                                  .several_b = q->count > 1},
                  &a[m], &b[n], &z);
    }
  }
  return z;
}

/* ---- event payload --------------------------------------------------------------------------- */

static ct_vec3 velocity_at(const model_body *m, ct_vec3 p) {
  if (!m->moves) return ct_vec(0, 0, 0);
  ct_mass_properties mass = {.center = m->center};
  bool ignored;
  const ct_body *body = body_of_model(m);
  if (!m->has_center && !ct_body_mass(body, &mass, &ignored)) mass.center = ct_vec(0, 0, 0);
  ct_body_release(body);
  ct_vec3 arm = ct_sub(p, ct_to_parent(ct_frame_of(m->pose), mass.center));
  return ct_add(m->velocity.linear, ct_cross(m->velocity.angular, arm));
}

static void check_begun(life *l, const ct_contact_record *r, const model_contact *c) {
  const ct_pair_result *now = &r->result;
  ct_vec3 p = ct_scale(ct_add(now->point_a, now->point_b), 0.5);
  ct_vec3 u = ct_sub(velocity_at(&l->bodies[c->b], p), velocity_at(&l->bodies[c->a], p));
  CHECK_NEAR(r->normal_velocity, ct_dot(now->normal, u), 1e-10 * (1 + ct_norm(p)));
  CHECK(r->begun == l->time && r->pair > l->last_pair);
  bool fresh = c->serial_a >= l->serials_before || c->serial_b >= l->serials_before;
  CHECK_INT(r->cause, !l->contacts ? CT_CAUSE_INIT : fresh ? CT_CAUSE_TIME : CT_CAUSE_Z2);
  l->last_pair = r->pair;
  l->begins++;
}

static bool same_text(ct_text x, ct_text y) {
  return x.length == y.length && memcmp(x.bytes, y.bytes, x.length) == 0;
}

/* Rows 19, 20: begun contacts are new; the records of other contacts are unchanged, bit for bit. */
static void check_records(life *l, const ct_contact_event *event) {
  CHECK_INT(ct_contact_state_count(event->state), l->found_count);
  size_t began = 0, persisted = 0;
  for (size_t k = 0; k < l->found_count && k < ct_contact_state_count(event->state); k++) {
    const ct_contact_record *r = ct_contact_state_record(event->state, k);
    model_contact *c = &l->found[k];
    CHECK(r->serial_a == c->serial_a && r->serial_b == c->serial_b);
    CHECK(r->collider_a == c->collider_a && r->collider_b == c->collider_b);
    CHECK(text_is(r->body_a, l->bodies[c->a].id) && text_is(r->body_b, l->bodies[c->b].id));
    CHECK(same_text(r->name_a, id_of_label(c->label_a)) &&
          same_text(r->name_b, id_of_label(c->label_b)));
    CHECK(r->several_a == c->several_a && r->several_b == c->several_b);
    CHECK(r->result.distance == c->distance && r->distance == c->distance - l->epsilon);
    if (c->before) {
      persisted++;
      CHECK(r->pair == c->pair && r->cause == c->cause &&
            memcmp(&r->begun, &c->begun, sizeof c->begun) == 0);
      CHECK(memcmp(&r->normal_velocity, &c->normal_velocity, sizeof c->normal_velocity) == 0);
    } else {
      CHECK(began < event->began_count && event->began[began] == k);
      began++;
      check_begun(l, r, c);
    }
    c->pair = r->pair;
    c->begun = r->begun;
    c->normal_velocity = r->normal_velocity;
    c->cause = r->cause;
  }
  CHECK_INT(event->began_count, began);
  CHECK_INT(event->persisted_count, persisted);
  for (size_t k = 0; k + 1 < event->persisted_count; k++)
    CHECK(ct_contact_state_record(event->state, event->persisted[k])->pair <
          ct_contact_state_record(event->state, event->persisted[k + 1])->pair);
}

static bool has_collider(const model_body *m, uint32_t label, uint32_t index) {
  for (uint32_t i = 0; i < m->count; i++)
    if (same_collider(m->labels[i], i, label, index)) return true;
  return false;
}

/* The cause of the end of a contact of the previous event, from the model's own bodies. */
static ct_contact_cause cause_of_end(const life *l, const model_contact *c) {
  const model_body *a = NULL, *b = NULL;
  for (uint32_t i = 0; i < l->count; i++) {
    if (l->bodies[i].serial == c->serial_a) a = &l->bodies[i];
    if (l->bodies[i].serial == c->serial_b) b = &l->bodies[i];
  }
  bool there = a && b && has_collider(a, c->label_a, c->collider_a) &&
               has_collider(b, c->label_b, c->collider_b);
  there = there && (a->moves || b->moves) && !excluded(l, a, b);
  return there ? CT_CAUSE_Z1 : CT_CAUSE_BODY;
}

static void check_ended(life *l, const ct_contact_event *event) {
  size_t ends = 0;
  for (size_t k = 0; k < l->contact_count; k++) {
    model_contact *c = &l->contacts[k];
    if (find_contact(l->found, l->found_count, c)) continue;
    ends++;
    const ct_contact_ended *reported = NULL;
    for (size_t i = 0; i < event->ended_count; i++)
      if (event->ended[i].record.pair == c->pair) reported = &event->ended[i];
    if (!reported) {
      CHECK_FAIL("the end of pair %d is not told", (int)c->pair);
      continue;
    }
    CHECK_INT(reported->cause, cause_of_end(l, c));
    CHECK(reported->distance ==
          (reported->cause == CT_CAUSE_BODY ? 0.0 : c->distance - l->epsilon));
    CHECK(same_text(reported->record.name_a, id_of_label(c->label_a)) &&
          same_text(reported->record.name_b, id_of_label(c->label_b)));
    CHECK(reported->record.serial_a == c->serial_a && reported->record.serial_b == c->serial_b &&
          reported->record.begun == c->begun);
  }
  CHECK_INT(event->ended_count, ends);
  for (size_t i = 0; i + 1 < event->ended_count; i++)
    CHECK(event->ended[i].record.pair < event->ended[i + 1].record.pair);
  l->ends += ends;
}

/* ---- zero-crossing functions ----------------------------------------------------------------- */

static ct_contact_monitor evaluate(const ct_scene *scene, const ct_contact_state *state,
                                   ct_contact_monitor_options options, ct_pair_result *contacts) {
  ct_contact_monitor out = {.contacts = contacts};
  CHECK_INT(ct_contact_monitor_run(scene, state, &options, workspace, &out), CT_OK);
  return out;
}

/* Rows 21, 22, 26: strict signs at a restart, values equal to those over all pairs, and the number
 * of evaluations. */
static void check_functions(life *l, const ct_contact_event *event, expected_functions expected) {
  static ct_pair_result now[CONTACTS_MAX];
  ct_contact_monitor z = evaluate(
      l->scene, event->state, (ct_contact_monitor_options){.evaluation = CT_EVALUATE_MONITOR}, now);
  CHECK(z.z1.value < 0.0 && z.z2.value > 0.0);
  CHECK(z.z1.present == expected.any_z1 && z.z2.present == expected.any_z2);
  CHECK(z.z1.value == (expected.any_z1 ? expected.z1 : CT_Z1_NONE));
  double size = 1.0 + l->side;
  if (expected.any_z2) CHECK_NEAR(z.z2.value, expected.z2, BOX_SLACK * size);
  else CHECK(z.z2.value == CT_Z2_NONE);
  if (z.z2.present && z.z2.narrow) CHECK(z.z2.value == expected.z2);
  CHECK(event->narrow >= l->narrow_least && event->narrow <= l->narrow_most);
  CHECK(event->boxes == l->total - event->narrow);
  CHECK(z.boxes == l->total - z.narrow);
  ct_contact_monitor sample = evaluate(
      l->scene, event->state, (ct_contact_monitor_options){.evaluation = CT_EVALUATE_SAMPLE}, now);
  CHECK(sample.narrow == l->found_count && sample.boxes == 0 && !sample.z2.present &&
        sample.z1.value == z.z1.value);
  for (size_t k = 0; k < l->found_count; k++) CHECK(now[k].distance == l->found[k].distance);
}

static bool same_crossing(const ct_zero_crossing *x, const ct_zero_crossing *y) {
  return memcmp(&x->value, &y->value, sizeof x->value) == 0 && x->present == y->present &&
         x->narrow == y->narrow && x->a == y->a && x->b == y->b && x->collider_a == y->collider_a &&
         x->collider_b == y->collider_b;
}

/* What-if poses: the same bits as in a revision that has these poses. */
static void check_what_if(life *l) {
  static ct_pair_result requested[CONTACTS_MAX], sealed[CONTACTS_MAX];
  ct_override moved[BODIES_MAX];
  size_t count = 0;
  uint32_t share = 1 + pick(&l->random, 4), rows = ct_scene_rows(l->scene);
  ct_draft *draft = ct_draft_begin(l->scene);
  for (uint32_t row = 0; row < rows && count < BODIES_MAX; row++) {
    if (!ct_scene_body(l->scene, row) || pick(&l->random, share)) continue;
    moved[count] = (ct_override){row, some_pose(l)};
    CHECK_INT(ct_draft_set_pose(draft, row, &moved[count++].pose), CT_OK);
  }
  const ct_scene *there = ct_draft_seal(draft);
  ct_contact_monitor_options options = {.evaluation = CT_EVALUATE_MONITOR};
  ct_contact_monitor y = evaluate(there, l->state, options, sealed);
  options.overrides = moved;
  options.override_count = count;
  ct_contact_monitor x = evaluate(l->scene, l->state, options, requested);
  CHECK(same_crossing(&x.z1, &y.z1) && same_crossing(&x.z2, &y.z2) && x.narrow == y.narrow &&
        x.boxes == y.boxes);
  for (size_t k = 0; k < ct_contact_state_count(l->state); k++)
    CHECK(requested[k].distance == sealed[k].distance && requested[k].status == sealed[k].status);
  ct_scene_release(there);
}

/* ---- scene histories ------------------------------------------------------------------------- */

static void one_event(life *l) {
  l->time += check_uniform(&l->random, 0, 1);
  expected_functions expected = look_at_all(l);
  ct_contact_event_options options = event_at(l->time);
  options.epsilon = l->epsilon;
  options.supports = pick(&l->random, 4) == 0;
  ct_contact_event event = {0};
  CHECK_INT(ct_contact_event_run(l->scene, l->state, &options, workspace, &event), CT_OK);
  check_records(l, &event);
  check_ended(l, &event);
  check_functions(l, &event, expected);
  CHECK(l->begins - l->ends == ct_contact_state_count(event.state));
  CHECK(ct_contact_state_time(event.state) == l->time);
  ct_contact_state_release(l->state);
  l->state = event.state;
  ct_contact_event_free(&event);
  model_contact *old = l->contacts;
  l->contacts = l->found;
  l->contact_count = l->found_count;
  l->found = old ? old : malloc(CONTACTS_MAX * sizeof *old);
  l->serials_before = l->serials;
  check_what_if(l);
}

static void live(uint64_t seed) {
  static life l;
  l = (life){.random = {seed}, .scene = ct_scene_create(0)};
  const double epsilons[] = {CT_CONTACT_EPSILON, CT_CONTACT_EPSILON, 1e-9, 1e-3};
  uint32_t count = pick(&l.random, 4) ? 5 + pick(&l.random, 12) : 20 + pick(&l.random, 21);
  l.side = check_uniform(&l.random, 0.8, 2.0) * cbrt(count);
  l.epsilon = epsilons[pick(&l.random, 4)];
  l.snapped = pick(&l.random, 3) == 0;
  l.found = malloc(CONTACTS_MAX * sizeof *l.found);
  ct_draft *draft = ct_draft_begin(l.scene);
  for (uint32_t i = 0; i < count; i++) {
    char id[16];
    snprintf(id, sizeof id, "b%d", (int)i);
    insert(&l, draft, id);
  }
  l.scene = seal(draft, l.scene);
  int failures = check_failures;
  for (int k = 0; k < EVENTS && check_failures == failures; k++) {
    one_event(&l);
    edit(&l);
  }
  if (check_failures > failures) CHECK_FAIL("life %d", (int)seed);
  ct_contact_state_release(l.state);
  ct_scene_release(l.scene);
  free(l.contacts);
  free(l.found);
}

/* Rows 19 to 22 and 26: random scene histories. */
static void events_and_functions_agree_with_the_test_of_all_pairs(void) {
  check_random r = {8};
  for (int i = 0; i < PALETTE; i++) palette[i] = make_shape(&r, i);
  for (int k = 0; k < lives(); k++) live((uint64_t)k + 1);
  for (int i = 0; i < PALETTE; i++) ct_shape_release(&palette[i]);
}

static const check_test tests[] = {
    {"events_and_functions_agree_with_the_test_of_all_pairs",
     events_and_functions_agree_with_the_test_of_all_pairs},
};

WORKSPACE_MAIN(tests)
