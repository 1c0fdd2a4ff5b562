/* Probes of a scene against a loop over every collider of every body, with every method and
 * partition into ranges. */
#include "tests/support/scenes.h"

#define BODIES 220
#define ITEMS 60

typedef struct world {
  const ct_scene *scene;
  ct_hull *hull;
  ct_override overrides[12];
  size_t override_count;
  uint8_t where[BODIES];
  ct_ray rays[ITEMS];
  ct_vec3 points[ITEMS];
} world;

static ct_vec3 random_vec(check_random *r, double size) {
  return ct_vec(check_uniform(r, -size, size), check_uniform(r, -size, size),
                check_uniform(r, -size, size));
}

static ct_shape random_shape(check_random *r, ct_hull *hull) {
  switch (check_next(r) % 4) {
  case 0: return sphere_of(check_uniform(r, 0.1, 1.0));
  case 1:
    return box_of(check_uniform(r, 0.1, 1.0), check_uniform(r, 0.1, 1.0),
                  check_uniform(r, 0.1, 1.0));
  case 2: return capsule_of(check_uniform(r, 0.1, 1.0), check_uniform(r, 0.1, 0.5));
  default: return (ct_shape){.kind = CT_KIND_CONVEX, .hull = hull};
  }
}

/* Bodies of one to five colliders, some planes, a body without colliders, duplicate bodies at one
 * pose. */
static void make_world(world *w, uint32_t bodies) {
  check_random r = {bodies};
  ct_vec3 points[20];
  *w = (world){0};
  for (int i = 0; i < 20; i++) points[i] = random_vec(&r, 0.8);
  CHECK_INT(ct_hull_from_points(points, 20, NULL, &w->hull, NULL), CT_OK);
  const ct_scene *empty = ct_scene_create(1);
  ct_draft *draft = ct_draft_begin(empty);
  ct_pose pose = ct_pose_identity();
  ct_shape shapes[5]; /* a duplicate reuses the shapes of earlier bodies */
  for (size_t k = 0; k < 5; k++) shapes[k] = (ct_shape){.kind = CT_KIND_SPHERE, .sphere = {0.5}};
  for (uint32_t i = 0; i < bodies; i++) {
    char id[16];
    size_t count = i == 7 ? 0 : i % 5 ? 1 : 1 + check_next(&r) % 5;
    ct_pose places[5];
    snprintf(id, sizeof id, "b%u", i);
    bool twin = i % 11 == 10;
    for (size_t k = 0; k < count && !twin; k++) shapes[k] = random_shape(&r, w->hull);
    for (size_t k = 0; k < 5; k++) places[k] = (ct_pose){random_vec(&r, 1.0), random_rotation(&r)};
    if (!twin) pose = (ct_pose){random_vec(&r, 8.0), random_rotation(&r)};
    if (i % 100 == 50) {
      count = 1;
      shapes[0] = plane_of();
      pose = pose_at(0.0, 0.0, -6.0 - 0.01 * i);
    }
    add_body(draft, body_of(id, shapes, count == 1 ? NULL : places, count, NULL), pose);
    w->where[i] = check_next(&r) % 3 != 0;
  }
  w->scene = seal(draft, empty);
  for (uint32_t row = 3; row < bodies && w->override_count < 12; row += 17)
    w->overrides[w->override_count++] =
        (ct_override){row, {random_vec(&r, 8.0), random_rotation(&r)}};
  for (int i = 0; i < ITEMS; i++) {
    w->points[i] = random_vec(&r, i % 2 ? 8.0 : 12.0);
    ct_vec3 from = random_vec(&r, i % 3 ? 20.0 : 4.0);
    w->rays[i] = (ct_ray){from, ct_sub(random_vec(&r, 6.0), from), i % 5 ? INFINITY : 9.0};
    if (i % 10 == 9) w->rays[i].direction = ct_vec(0.0, i % 20 == 9 ? 1.0 : -1.0, 0.0);
  }
}

static void end_world(world *w) {
  ct_scene_release(w->scene);
  ct_hull_release(w->hull);
}

/* ---- brute force ---------------------------------------------------------------------------- */

typedef struct hit_list {
  ct_probe_hit items[4096];
  size_t count;
} hit_list;

static ct_frame frame_of_row(const ct_probe_options *o, const ct_scene *scene, uint32_t row) {
  for (size_t k = 0; k < o->override_count; k++)
    if (o->overrides[k].row == row) return ct_frame_of(o->overrides[k].pose);
  return ct_frame_of(ct_scene_pose(scene, row));
}

static bool identity(ct_pose p) {
  return p.position.x == 0.0 && p.position.y == 0.0 && p.position.z == 0.0 && p.rotation.w == 1.0;
}

static ct_frame frame_of_collider(const ct_frame *body, const ct_collider *c) {
  return identity(c->pose) ? *body : ct_frame_mul(*body, ct_frame_of(c->pose));
}

/* The order specified in the header, by insertion. */
static bool comes_before(const ct_probe_options *o, const ct_probe_hit *a, const ct_probe_hit *b) {
  bool by_distance = o->kind == CT_PROBE_RAYCAST || o->kind == CT_PROBE_NEAREST;
  if (by_distance && a->distance != b->distance) return a->distance < b->distance;
  if (a->row != b->row) return a->row < b->row;
  if (a->collider != b->collider) return a->collider < b->collider;
  return a->entering && !b->entering;
}

static void add_in_order(const ct_probe_options *o, hit_list *list, size_t first,
                         ct_probe_hit hit) {
  size_t k = list->count++;
  for (; k > first && comes_before(o, &hit, &list->items[k - 1]); k--)
    list->items[k] = list->items[k - 1];
  list->items[k] = hit;
}

static void brute_ray(const ct_probe_options *o, const ct_scene *scene, size_t item, hit_list *list,
                      ct_workspace *workspace) {
  size_t first = list->count;
  for (uint32_t row = 0; row < ct_scene_rows(scene); row++) {
    const ct_body *body = ct_scene_body(scene, row);
    ct_frame frame = frame_of_row(o, scene, row);
    for (uint32_t c = 0; c < ct_body_collider_count(body) && (!o->where || o->where[row]); c++) {
      ct_collider collider = ct_body_collider(body, c);
      ct_frame placed = frame_of_collider(&frame, &collider);
      ct_ray_crossing x[2];
      size_t count =
          ct_ray_cross(&o->rays[item], (ct_placed){&collider.shape, &placed}, workspace, x, 2);
      for (size_t k = 0; k < count; k++)
        add_in_order(o, list, first,
                     (ct_probe_hit){.item = (uint32_t)item,
                                    .row = row,
                                    .collider = c,
                                    .distance = x[k].distance,
                                    .position = x[k].position,
                                    .normal = x[k].normal,
                                    .entering = x[k].entering});
    }
  }
  if (!o->all && list->count > first) list->count = first + 1;
}

static void brute_point(const ct_probe_options *o, const ct_scene *scene, size_t item,
                        hit_list *list, ct_workspace *workspace) {
  size_t first = list->count;
  ct_shape point = sphere_of(0.0);
  ct_frame at = ct_frame_of((ct_pose){o->points[item], ct_quat_identity()});
  for (uint32_t row = 0; row < ct_scene_rows(scene); row++) {
    const ct_body *body = ct_scene_body(scene, row);
    ct_frame frame = frame_of_row(o, scene, row);
    ct_probe_hit best = {.item = (uint32_t)item, .row = row, .distance = INFINITY};
    for (uint32_t c = 0; c < ct_body_collider_count(body) && (!o->where || o->where[row]); c++) {
      ct_collider collider = ct_body_collider(body, c);
      ct_frame placed = frame_of_collider(&frame, &collider);
      ct_pair_options options = {.threshold = INFINITY};
      ct_pair_result r;
      ct_pair_distance((ct_placed){&point, &at}, (ct_placed){&collider.shape, &placed}, &options,
                       workspace, &r);
      if (r.distance >= best.distance) continue;
      best.collider = c;
      best.distance = r.distance;
      best.position = r.point_b;
      best.normal = ct_neg(r.normal);
    }
    double limit = o->kind == CT_PROBE_POINT ? 0.0 : o->reach;
    if (best.distance < INFINITY && best.distance <= limit) add_in_order(o, list, first, best);
  }
  if (o->kind == CT_PROBE_NEAREST && list->count > first + o->nearest)
    list->count = first + o->nearest;
}

static void brute_region(const ct_probe_options *o, const ct_scene *scene, hit_list *list,
                         ct_workspace *workspace) {
  ct_frame at = ct_frame_of(o->region_pose);
  ct_placed region = {&o->region, &at};
  for (uint32_t row = 0; row < ct_scene_rows(scene); row++) {
    const ct_body *body = ct_scene_body(scene, row);
    ct_frame frame = frame_of_row(o, scene, row);
    ct_probe_hit hit = {.row = row, .collider = CT_NO_ROW, .inside = true};
    for (uint32_t c = 0; c < ct_body_collider_count(body) && (!o->where || o->where[row]); c++) {
      ct_collider collider = ct_body_collider(body, c);
      ct_frame placed = frame_of_collider(&frame, &collider);
      ct_pair_options options = {.threshold = INFINITY};
      ct_pair_result r;
      ct_pair_distance(region, (ct_placed){&collider.shape, &placed}, &options, workspace, &r);
      bool overlaps = r.status == CT_PAIR_UNSUPPORTED || r.distance <= 0.0;
      if (overlaps && hit.collider == CT_NO_ROW) hit.collider = c;
      hit.inside = hit.inside && r.relation == CT_CONTAINING;
    }
    if (hit.collider != CT_NO_ROW && (hit.inside || !o->inside)) list->items[list->count++] = hit;
  }
}

static void brute(const ct_probe_options *o, const ct_scene *scene, hit_list *list) {
  ct_workspace *workspace = ct_workspace_create();
  list->count = 0;
  for (size_t item = 0; item < o->count && o->kind != CT_PROBE_REGION; item++) {
    if (o->kind == CT_PROBE_RAYCAST) brute_ray(o, scene, item, list, workspace);
    else brute_point(o, scene, item, list, workspace);
  }
  if (o->kind == CT_PROBE_REGION) brute_region(o, scene, list, workspace);
  ct_workspace_destroy(workspace);
}

/* ---- the probe in ranges --------------------------------------------------------------------- */

static bool take(void *context, const ct_probe_hit *hit) {
  hit_list *list = context;
  if (list->count == sizeof list->items / sizeof list->items[0]) return false;
  list->items[list->count++] = *hit;
  return true;
}

static void probe(const ct_probe_options *o, const ct_scene *scene, size_t step, hit_list *list) {
  ct_workspace *workspace = ct_workspace_create();
  ct_probe *p = NULL;
  list->count = 0;
  CHECK_INT(ct_probe_prepare(scene, o, &p), CT_OK);
  CHECK(ct_probe_cost(p) >= 0.0);
  for (size_t begin = 0; begin < ct_probe_items(p); begin += step) {
    size_t end = begin + step < ct_probe_items(p) ? begin + step : ct_probe_items(p);
    CHECK_INT(ct_probe_run(p, &(ct_query_range){.begin = begin, .end = end, .after = CT_NO_ROW},
                           workspace, take, list),
              CT_OK);
  }
  ct_probe_destroy(p);
  ct_workspace_destroy(workspace);
}

static bool same_vec(ct_vec3 a, ct_vec3 b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

static bool same_hit(const ct_probe_options *o, const ct_probe_hit *a, const ct_probe_hit *b) {
  bool region = o->kind == CT_PROBE_REGION;
  return (region || a->item == b->item) && a->row == b->row && a->collider == b->collider &&
         a->distance == b->distance && same_vec(a->position, b->position) &&
         same_vec(a->normal, b->normal) && a->entering == b->entering && a->inside == b->inside;
}

static size_t compare(const ct_probe_options *given, const ct_scene *scene) {
  static hit_list expected, got;
  static const ct_broadphase methods[] = {CT_BROADPHASE_TREE, CT_BROADPHASE_BRUTE_FORCE,
                                          CT_BROADPHASE_AUTO};
  ct_probe_options o = *given;
  brute(&o, scene, &expected);
  for (int m = 0; m < 3; m++) {
    o.broadphase = methods[m];
    probe(&o, scene, m == 0 ? 7 : 1000, &got);
    CHECK_INT(got.count, expected.count);
    for (size_t k = 0; k < got.count && k < expected.count; k++) {
      if (same_hit(&o, &got.items[k], &expected.items[k])) continue;
      CHECK_FAIL("kind %d, hit %zu: item %u row %u distance %.17g, should be item %u row %u "
                 "distance %.17g",
                 o.kind, k, got.items[k].item, got.items[k].row, got.items[k].distance,
                 expected.items[k].item, expected.items[k].row, expected.items[k].distance);
      break;
    }
  }
  return expected.count;
}

/* With and without a selection and alternative poses. */
static size_t compare_all(ct_probe_options o, const world *w) {
  size_t hits = 0;
  for (int i = 0; i < 4; i++) {
    o.where = i & 1 ? w->where : NULL;
    o.overrides = w->overrides;
    o.override_count = i & 2 ? w->override_count : 0;
    hits += compare(&o, w->scene);
  }
  return hits;
}

static void ray_hits_agree_with_brute_force(void) {
  static const uint32_t sizes[] = {1, 12, BODIES};
  for (int s = 0; s < 3; s++) {
    world w;
    make_world(&w, sizes[s]);
    ct_probe_options o = {.kind = CT_PROBE_RAYCAST, .rays = w.rays, .count = ITEMS};
    size_t first = compare_all(o, &w);
    o.all = true;
    size_t all = compare_all(o, &w);
    CHECK(sizes[s] < 100 || (first > 100 && all > 4 * first));
    end_world(&w);
  }
}

static void nearest_bodies_are_those_of_brute_force(void) {
  static const uint32_t sizes[] = {1, 12, BODIES};
  for (int s = 0; s < 3; s++) {
    world w;
    make_world(&w, sizes[s]);
    for (uint32_t k = 1; k < 12; k += 5) {
      ct_probe_options o = {.kind = CT_PROBE_NEAREST,
                            .points = w.points,
                            .count = ITEMS,
                            .nearest = k,
                            .reach = INFINITY};
      compare_all(o, &w);
      o.reach = 1.5;
      compare_all(o, &w);
    }
    end_world(&w);
  }
}

static void points_are_in_the_bodies_of_brute_force(void) {
  world w;
  make_world(&w, BODIES);
  ct_probe_options o = {.kind = CT_PROBE_POINT, .points = w.points, .count = ITEMS};
  CHECK(compare_all(o, &w) > 20);
  end_world(&w);
}

static void regions_agree_with_brute_force(void) {
  world w;
  make_world(&w, BODIES);
  check_random r = {5};
  for (int i = 0; i < 24; i++) {
    ct_probe_options o = {.kind = CT_PROBE_REGION,
                          .region = random_shape(&r, w.hull),
                          .region_pose = {random_vec(&r, 4.0), random_rotation(&r)}};
    if (i % 4 == 0) o.region = box_of(5.0, 4.0, 3.0);
    if (i % 8 == 0) o.region_pose.rotation = ct_quat_identity();
    if (i == 23) o.region = plane_of();
    size_t any = compare_all(o, &w);
    o.inside = true;
    size_t inside = compare_all(o, &w);
    CHECK(inside <= any && (i % 4 || inside > 0));
  }
  end_world(&w);
}

/* ---- pages and early stop -------------------------------------------------------------------- */

static void a_range_resumes_after_a_rank(void) {
  world w;
  static hit_list whole, rest;
  make_world(&w, BODIES);
  ct_probe_options o = {.kind = CT_PROBE_RAYCAST, .rays = w.rays, .count = ITEMS, .all = true};
  probe(&o, w.scene, 1000, &whole);
  ct_workspace *workspace = ct_workspace_create();
  ct_probe *p = NULL;
  CHECK_INT(ct_probe_prepare(w.scene, &o, &p), CT_OK);
  for (size_t k = 0; k < whole.count; k += 13) {
    const ct_probe_hit *last = &whole.items[k];
    rest.count = 0;
    CHECK_INT(
        ct_probe_run(p, &(ct_query_range){.begin = last->item, .end = ITEMS, .after = last->rank},
                     workspace, take, &rest),
        CT_OK);
    CHECK_INT(rest.count, whole.count - k - 1);
    CHECK(rest.count == 0 || same_hit(&o, &rest.items[0], &whole.items[k + 1]));
  }
  ct_probe_destroy(p);
  ct_workspace_destroy(workspace);
  end_world(&w);
}

static bool take_three(void *context, const ct_probe_hit *hit) {
  take(context, hit);
  return ((hit_list *)context)->count < 3;
}

static void the_sink_stops_and_the_flag_cancels(void) {
  world w;
  static hit_list list;
  make_world(&w, BODIES);
  ct_cancel *cancel = ct_cancel_create();
  ct_probe_options o = {.kind = CT_PROBE_NEAREST,
                        .points = w.points,
                        .count = ITEMS,
                        .nearest = 2,
                        .reach = INFINITY,
                        .cancel = cancel};
  ct_workspace *workspace = ct_workspace_create();
  ct_probe *p = NULL;
  CHECK_INT(ct_probe_prepare(w.scene, &o, &p), CT_OK);
  list.count = 0;
  CHECK_INT(ct_probe_run(p, &(ct_query_range){.begin = 0, .end = ITEMS, .after = CT_NO_ROW},
                         workspace, take_three, &list),
            CT_OK);
  CHECK_INT(list.count, 3);
  ct_cancel_raise(cancel);
  CHECK_INT(ct_probe_run(p, &(ct_query_range){.begin = 0, .end = ITEMS, .after = CT_NO_ROW},
                         workspace, take, &list),
            CT_CANCELLED);
  ct_probe_destroy(p);
  ct_workspace_destroy(workspace);
  ct_cancel_destroy(cancel);
  end_world(&w);
}

static const check_test tests[] = {
    {"rays hit what brute force hits", ray_hits_agree_with_brute_force},
    {"nearest bodies are those of brute force", nearest_bodies_are_those_of_brute_force},
    {"points are in the bodies of brute force", points_are_in_the_bodies_of_brute_force},
    {"regions hold what brute force says", regions_agree_with_brute_force},
    {"a range resumes after a rank", a_range_resumes_after_a_rank},
    {"the sink stops and the flag cancels", the_sink_stops_and_the_flag_cancels},
};

CHECK_MAIN(tests)
