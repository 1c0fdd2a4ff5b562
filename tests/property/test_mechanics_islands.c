/* Islands of random scenes against their definition, the transitive closure of contacts by brute
 * force; and the contacts against the query that finds them. The same scene gives the same
 * bytes. */
#include "tests/support/scenes.h"
#include "tests/support/workspace.h"

enum { ROWS = 60, TOUCHES_MAX = 4000 };

typedef enum mover { STAYS, MOVED, MOVES } mover;

typedef struct random_scene {
  const ct_scene *scene;
  mover movers[ROWS];
} random_scene;

static random_scene make(check_random *r) {
  static const ct_motion dynamic = {
      .source = CT_MASS_MASS, .value = 1.0, .inertia_orientation = {0, 0, 0, 1}};
  static const ct_motion kinematic = {.is_kinematic = true, .inertia_orientation = {0, 0, 0, 1}};
  random_scene s;
  const ct_scene *empty = ct_scene_create(1);
  ct_draft *draft = ct_draft_begin(empty);
  double side = check_uniform(r, 3, 12);
  for (int i = 0; i < ROWS; i++) {
    uint64_t kind = check_next(r) % 8;
    s.movers[i] = kind == 0 ? STAYS : kind == 1 ? MOVED : MOVES;
    ct_collider colliders[2] = {{.shape = check_next(r) % 2 ? sphere_of(.5) : box_of(.4, .5, .3),
                                 .pose = ct_pose_identity()},
                                {.shape = sphere_of(.3), .pose = pose_at(.6, 0, 0)}};
    char id[16];
    snprintf(id, sizeof id, "%d", i);
    ct_body_options options = {.id = text_of(id),
                               .colliders = colliders,
                               .collider_count = 1 + check_next(r) % 2,
                               .motion = s.movers[i] == STAYS   ? NULL
                                         : s.movers[i] == MOVED ? &kinematic
                                                                : &dynamic};
    const ct_body *body = NULL;
    CHECK_INT(ct_body_create(&options, &body), CT_OK);
    add_body(draft, body, random_pose(r, side));
  }
  s.scene = seal(draft, empty);
  return s;
}

/* ---- brute force ----------------------------------------------------------------------------- */

typedef struct found {
  const random_scene *of;
  size_t count;
  uint32_t a[TOUCHES_MAX], b[TOUCHES_MAX];
  double distance[TOUCHES_MAX];
} found;

static bool note(void *context, const ct_contacts_hit *hit) {
  found *f = context;
  if (f->of->movers[hit->a] != MOVES && f->of->movers[hit->b] != MOVES) return true;
  for (size_t k = 0; k < hit->point_count && f->count < TOUCHES_MAX; k++) {
    f->a[f->count] = hit->a;
    f->b[f->count] = hit->b;
    f->distance[f->count++] = hit->points[k].distance;
  }
  return true;
}

static void find(const random_scene *s, found *out) {
  out->of = s;
  out->count = 0;
  const ct_query_options options = {.clearance = 1e-3};
  const ct_query_contacts_options contacts = {1e-3, CT_DETAIL_MANIFOLD};
  ct_query *query;
  CHECK_INT(ct_query_prepare_contacts(s->scene, &options, &contacts, &query), CT_OK);
  const ct_query_range all = {.end = ct_query_items(query), .after = CT_NO_ROW};
  CHECK_INT(ct_query_run_contacts(query, &all, workspace, note, out, NULL), CT_OK);
  ct_query_destroy(query);
}

/* label[i]: the lowest dynamic row linked to row i. */
static void close_links(const found *f, uint32_t label[ROWS]) {
  for (uint32_t i = 0; i < ROWS; i++) label[i] = i;
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t k = 0; k < f->count; k++) {
      if (f->of->movers[f->a[k]] != MOVES || f->of->movers[f->b[k]] != MOVES ||
          label[f->a[k]] == label[f->b[k]])
        continue;
      uint32_t low = label[f->a[k]] < label[f->b[k]] ? label[f->a[k]] : label[f->b[k]];
      label[f->a[k]] = label[f->b[k]] = low;
      changed = true;
    }
  }
}

/* ---- tests ----------------------------------------------------------------------------------- */

static uint32_t first_dynamic(const random_scene *s, const ct_island *island) {
  for (size_t i = 0; i < island->set.body_count; i++)
    if (s->movers[island->rows[i]] == MOVES) return island->rows[i];
  return CT_NO_ROW;
}

/* Members are all dynamic bodies of one label; others are non-dynamic bodies in one of its
 * contacts. Ascending. */
static void check_bodies(const random_scene *s, const ct_island *island, const uint32_t label[ROWS],
                         uint32_t lowest) {
  size_t dynamic = 0, wanted = 0;
  for (uint32_t row = 0; row < ROWS; row++)
    wanted += s->movers[row] == MOVES && label[row] == lowest;
  for (size_t i = 0; i < island->set.body_count; i++) {
    uint32_t row = island->rows[i];
    const ct_mobility expected[] = {CT_FIXED, CT_KINEMATIC, CT_DYNAMIC};
    CHECK(i == 0 || island->rows[i - 1] < row);
    CHECK_INT(island->set.bodies[i].mobility, expected[s->movers[row]]);
    if (s->movers[row] == MOVES) {
      CHECK_INT(label[row], lowest);
      dynamic++;
      continue;
    }
    bool touched = false;
    for (size_t k = 0; k < island->set.count; k++)
      touched = touched || island->set.contacts[k].a == i || island->set.contacts[k].b == i;
    CHECK(touched);
  }
  CHECK_INT(dynamic, wanted);
}

static void check_touches(const ct_island *island, const found *truth, uint8_t seen[TOUCHES_MAX]) {
  for (size_t k = 0; k < island->set.count; k++) {
    uint32_t number = island->numbers[k];
    const ct_contact *t = &island->set.contacts[k];
    CHECK(number < truth->count && !seen[number] && (k == 0 || island->numbers[k - 1] < number));
    if (number >= truth->count) continue;
    seen[number] = 1;
    CHECK(island->rows[t->a] == truth->a[number] && island->rows[t->b] == truth->b[number]);
    CHECK(t->distance == truth->distance[number]);
  }
}

static ct_mechanics *prepare(const ct_scene *scene) {
  const ct_mechanics_options options = {.contact_tolerance = 1e-3, .detail = CT_DETAIL_MANIFOLD};
  ct_mechanics *m = NULL;
  CHECK_INT(ct_mechanics_prepare(scene, &options, workspace, &m), CT_OK);
  return m;
}

static void islands_are_the_connected_components_of_contacts(void) {
  check_random r = {1101};
  static found truth;
  size_t contacts = 0, linked = 0;
  for (int i = 0; i < 100; i++) {
    random_scene s = make(&r);
    uint32_t label[ROWS], before = 0;
    uint8_t seen[TOUCHES_MAX] = {0};
    size_t bodies = 0, wanted = 0;
    find(&s, &truth);
    close_links(&truth, label);
    ct_mechanics *m = prepare(s.scene);
    CHECK_INT(ct_mechanics_count(m), truth.count);
    for (size_t k = 0; k < ct_mechanics_islands(m); k++) {
      ct_island island = ct_mechanics_island(m, k);
      uint32_t lowest = first_dynamic(&s, &island);
      CHECK(lowest != CT_NO_ROW && (k == 0 || lowest > before));
      check_bodies(&s, &island, label, lowest);
      check_touches(&island, &truth, seen);
      before = lowest;
      for (size_t n = 0; n < island.set.body_count; n++)
        bodies += s.movers[island.rows[n]] == MOVES;
      linked += island.set.count > 8;
    }
    for (int row = 0; row < ROWS; row++) wanted += s.movers[row] == MOVES;
    CHECK_INT(bodies, wanted);
    for (size_t k = 0; k < truth.count; k++) CHECK(seen[k]);
    contacts += truth.count;
    ct_mechanics_destroy(m);
    ct_scene_release(s.scene);
  }
  CHECK(contacts > 5000 && linked > 50);
}

static void the_same_scene_has_the_same_bytes(void) {
  check_random r = {1102};
  for (int i = 0; i < 20; i++) {
    random_scene s = make(&r);
    ct_mechanics *m = prepare(s.scene), *n = prepare(s.scene);
    CHECK_INT(ct_mechanics_islands(m), ct_mechanics_islands(n));
    for (size_t k = 0; k < ct_mechanics_islands(m); k++) {
      ct_island x = ct_mechanics_island(m, k), y = ct_mechanics_island(n, k);
      CHECK(x.set.count == y.set.count && x.set.body_count == y.set.body_count);
      for (size_t t = 0; t < x.set.count; t++) {
        const ct_contact *p = &x.set.contacts[t], *q = &y.set.contacts[t];
        CHECK(memcmp(&p->position, &q->position, sizeof p->position) == 0 &&
              memcmp(&p->normal, &q->normal, sizeof p->normal) == 0);
        CHECK(memcmp(&p->surface_a.radii, &q->surface_a.radii, sizeof p->surface_a.radii) == 0);
        CHECK(ct_contact_free_acceleration(&x.set, p, NULL) ==
              ct_contact_free_acceleration(&y.set, q, NULL));
      }
    }
    ct_mechanics_destroy(m);
    ct_mechanics_destroy(n);
    ct_scene_release(s.scene);
  }
}

static const check_test tests[] = {
    {"islands are what contacts link", islands_are_the_connected_components_of_contacts},
    {"the same scene has the same bytes", the_same_scene_has_the_same_bytes}};

WORKSPACE_MAIN(tests)
