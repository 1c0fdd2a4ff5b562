/* Invariants of volumetric contacts of polyhedra: mirrored by a swap and scaled by powers of two to
 * the last bit; transformed by rigid motion; a closed surface whose parts balance; more common
 * volume for a larger body; equal results from vertices and from planes; no allocation once warm;
 * out of memory is reported.
 *
 * Row 2: vertices or planes. Row 4: the inner point is inside both. Row 8: closed, V > 0. Row 16:
 * scaling. Row 18: the intersection's properties. */
#include "tests/support/failing_malloc.h"

#include "tests/oracle/volume_cases.h"

#include <contact/volume.h>

#include <string.h>

enum { CASES = 1500, CASES_FULL = 50000 };

static int case_count(void) { return getenv("CONTACTD_FULL") ? CASES_FULL : CASES; }

static ct_volume run_query(const volume_case *c, const ct_volume_options *options,
                           ct_workspace *workspace) {
  ct_frame fa = ct_frame_of(c->pose_a), fb = ct_frame_of(c->pose_b);
  ct_volume v;
  ct_pair_volume((ct_placed){&c->a, &fa}, (ct_placed){&c->b, &fb}, options, workspace, &v);
  return v;
}

static void each_case(uint64_t seed, void (*visit)(const volume_case *, const ct_volume_options *,
                                                   ct_workspace *)) {
  check_random r = {seed};
  ct_workspace *workspace = ct_workspace_create();
  for (int i = 0; i < case_count(); i++) {
    volume_case c = random_case(&r);
    const ct_volume_options options = {.weighting = (ct_weighting)(i % CT_WEIGHTING_COUNT),
                                       .method = (ct_volume_method)(i / 3 % CT_VOLUME_METHOD_COUNT),
                                       .epsilon = 1e-4,
                                       .triangles = i % 2 == 0};
    visit(&c, &options, workspace);
    release_case(&c);
  }
  ct_workspace_destroy(workspace);
}

static bool same(ct_vec3 a, ct_vec3 b) { return memcmp(&a, &b, sizeof a) == 0; }
static ct_vec3 opposite(ct_vec3 v) { return ct_vec(0.0 - v.x, 0.0 - v.y, 0.0 - v.z); }

/* ---- a swap --------------------------------------------------------------------------------- */

static void check_mirrored(const ct_volume_contact *p, const ct_volume_contact *q) {
  CHECK(p->volume == q->volume && p->area == q->area && p->patch_area == q->patch_area);
  CHECK(p->raw_gap == q->raw_gap && p->gap == q->gap &&
        p->depth_along_normal == q->depth_along_normal);
  CHECK(same(p->position, q->position) && same(p->centroid, q->centroid) &&
        same(p->normal, opposite(q->normal)));
  CHECK(p->surface_a == q->surface_b && p->surface_b == q->surface_a && p->flags == q->flags &&
        p->status == q->status);
  CHECK(same(p->inner, q->inner) && p->margin == q->margin);
}

static void swap_mirrors(const volume_case *c, const ct_volume_options *options,
                         ct_workspace *workspace) {
  volume_case back = {c->b, c->a, c->pose_b, c->pose_a};
  ct_volume v = run_query(c, options, workspace);
  if (v.count == 0) {
    CHECK_INT(run_query(&back, options, workspace).count, 0);
    return;
  }
  ct_volume_contact first = v.contacts[0];
  size_t count = v.triangle_count;
  ct_volume_triangle *triangles = malloc(count * sizeof *triangles + 1);
  for (size_t t = 0; t < count; t++) triangles[t] = v.triangles[t];
  ct_volume w = run_query(&back, options, workspace);
  CHECK_INT(w.count, 1);
  CHECK_INT(w.triangle_count, count);
  if (w.count == 1) check_mirrored(&first, &w.contacts[0]);
  for (size_t t = 0; t < count && t < w.triangle_count; t++) {
    const ct_volume_triangle *p = &triangles[t], *q = &w.triangles[t];
    for (int i = 0; i < 3; i++) CHECK(same(p->vertex[i], q->vertex[i]));
    CHECK(p->face_a == q->face_b && p->face_b == q->face_a);
    CHECK_INT(p->owner, q->owner == CT_OWNER_SHARED ? CT_OWNER_SHARED
                        : q->owner == CT_OWNER_A    ? CT_OWNER_B
                                                    : CT_OWNER_A);
  }
  free(triangles);
}

static void a_swap_mirrors_every_bit(void) { each_case(1, swap_mirrors); }

/* ---- motion and scale ----------------------------------------------------------------------- */

static void motion_moves(const volume_case *c, const ct_volume_options *options,
                         ct_workspace *workspace) {
  /* Fans are chosen in a body's frame, so all weightings are transformed with it. */
  if (options->method == CT_VOLUME_SOLFEC) return;
  ct_volume v = run_query(c, options, workspace);
  if (v.count == 0 || v.contacts[0].volume < 1e-9) return;
  ct_volume_contact p = v.contacts[0];
  ct_frame move = ct_frame_of((ct_pose){{3, -2, 1}, {0.1, 0.7, -0.2, 0.5}});
  volume_case moved = *c;
  ct_frame fa = ct_frame_mul(move, ct_frame_of(c->pose_a)),
           fb = ct_frame_mul(move, ct_frame_of(c->pose_b));
  ct_volume w;
  ct_pair_volume((ct_placed){&moved.a, &fa}, (ct_placed){&moved.b, &fb}, options, workspace, &w);
  CHECK_INT(w.count, 1);
  if (w.count != 1) return;
  const ct_volume_contact *q = &w.contacts[0];
  /* Faces that meet at a millionth of a radian move their edge by a million roundings: about 1e-10
   * m. */
  double angle = 1e-9, sharp = 1e-9;
  CHECK_NEAR(q->volume, p.volume, 1e-13);
  CHECK_NEAR(q->area, p.area, sharp);
  CHECK(ct_norm(ct_sub(q->position, ct_to_parent(move, p.position))) <= sharp / p.area + 1e-13);
  /* The sum for a body that contains the other is round-off. */
  if (p.patch_area < 1e-4 * p.area || (p.flags | q->flags) & CT_VOLUME_FLAG_NORMAL_FALLBACK) return;
  if (options->weighting == CT_WEIGHTING_LINEAR)
    CHECK(ct_norm(ct_sub(q->normal, ct_mat_mul(move.rotation, p.normal))) <= angle);
}

static void rigid_motion_moves_the_contact(void) { each_case(2, motion_moves); }

static ct_shape scaled(const ct_shape *s, double by) {
  if (s->kind == CT_KIND_BOX)
    return box(s->box.half.x * by, s->box.half.y * by, s->box.half.z * by);
  const ct_hull_view *view = ct_hull_get(s->hull);
  ct_vec3 p[64];
  for (uint32_t v = 0; v < view->vertex_count; v++)
    p[v] = ct_vec(view->x[v] * by, view->y[v] * by, view->z[v] * by);
  return hull_shape(p, view->vertex_count);
}

static void powers_of_two_scale(const volume_case *c, const ct_volume_options *given,
                                ct_workspace *workspace) {
  const double s = 0x1p-9;
  ct_volume_options options = *given;
  ct_volume v = run_query(c, &options, workspace);
  ct_volume_contact p = v.count ? v.contacts[0] : (ct_volume_contact){0};
  volume_case small = {scaled(&c->a, s), scaled(&c->b, s), c->pose_a, c->pose_b};
  small.pose_a.position = ct_scale(c->pose_a.position, s);
  small.pose_b.position = ct_scale(c->pose_b.position, s);
  options.epsilon *= s;
  ct_volume w = run_query(&small, &options, workspace);
  CHECK_INT(w.count, v.count);
  if (w.count == 1 && v.count == 1) {
    const ct_volume_contact *q = &w.contacts[0];
    CHECK(q->volume == p.volume * s * s * s && q->area == p.area * s * s &&
          q->patch_area == p.patch_area * s * s);
    CHECK(q->raw_gap == p.raw_gap * s && q->depth_along_normal == p.depth_along_normal * s &&
          q->margin == p.margin * s);
    CHECK(same(q->normal, p.normal) && same(q->position, ct_scale(p.position, s)));
    CHECK_NEAR(q->gap, p.gap * s, 1e-15 * s);
    CHECK(q->surface_a == p.surface_a && q->surface_b == p.surface_b && q->flags == p.flags);
  }
  release_case(&small);
}

static void powers_of_two_scale_every_bit(void) { each_case(3, powers_of_two_scale); }

/* ---- the surface ---------------------------------------------------------------------------- */

static ct_vec3 area_of(const ct_volume_triangle *t) {
  return ct_scale(ct_cross(ct_sub(t->vertex[1], t->vertex[0]), ct_sub(t->vertex[2], t->vertex[0])),
                  0.5);
}

static int compare_points(const void *a, const void *b) {
  return memcmp(a, b, 2 * sizeof(ct_vec3));
}

/* Directed edges as pairs of points: each occurs as often as its reverse. */
static void check_closed(const ct_volume_triangle *triangles, size_t count) {
  ct_vec3(*edges)[2] = malloc(3 * count * sizeof *edges),
  (*reverse)[2] = malloc(3 * count * sizeof *reverse);
  for (size_t t = 0; t < count; t++) {
    for (size_t i = 0; i < 3; i++) {
      ct_vec3 p = triangles[t].vertex[i], q = triangles[t].vertex[(i + 1) % 3];
      edges[3 * t + i][0] = reverse[3 * t + i][1] = p;
      edges[3 * t + i][1] = reverse[3 * t + i][0] = q;
    }
  }
  qsort(edges, 3 * count, sizeof *edges, compare_points);
  qsort(reverse, 3 * count, sizeof *reverse, compare_points);
  CHECK(memcmp(edges, reverse, 3 * count * sizeof *edges) == 0);
  free(edges);
  free(reverse);
}

static double outside(const ct_shape *shape, const ct_frame *frame, ct_vec3 world) {
  ct_vec3 p = ct_to_local(*frame, world);
  if (shape->kind == CT_KIND_BOX) {
    ct_vec3 h = shape->box.half;
    return ct_max2(ct_max2(fabs(p.x) - h.x, fabs(p.y) - h.y), fabs(p.z) - h.z);
  }
  const ct_hull_view *v = ct_hull_get(shape->hull);
  double most = -INFINITY;
  for (uint32_t f = 0; f < v->face_count; f++)
    most = ct_max2(most, v->nx[f] * p.x + v->ny[f] * p.y + v->nz[f] * p.z - v->offset[f]);
  return most;
}

static void surface_balances(const volume_case *c, const ct_volume_options *given,
                             ct_workspace *workspace) {
  ct_volume_options options = *given;
  options.triangles = true;
  if (options.method == CT_VOLUME_SOLFEC) options.method = CT_VOLUME_AUTO;
  ct_volume v = run_query(c, &options, workspace);
  if (v.count == 0) return;
  const ct_volume_contact *contact = &v.contacts[0];
  ct_frame fa = ct_frame_of(c->pose_a), fb = ct_frame_of(c->pose_b);
  check_closed(v.triangles, v.triangle_count);
  ct_vec3 sum[3] = {{0, 0, 0}};
  double area = 0.0, slack = 1e-13;
  for (size_t t = 0; t < v.triangle_count; t++) {
    const ct_volume_triangle *f = &v.triangles[t];
    sum[f->owner] = ct_add(sum[f->owner], area_of(f));
    area += ct_norm(area_of(f));
    CHECK((f->face_a != CT_NO_FACE) == (f->owner != CT_OWNER_B) &&
          (f->face_b != CT_NO_FACE) == (f->owner != CT_OWNER_A));
    for (int i = 0; i < 3; i++)
      CHECK(ct_max2(outside(&c->a, &fa, f->vertex[i]), outside(&c->b, &fb, f->vertex[i])) <= slack);
  }
  CHECK(ct_norm(ct_add(ct_add(sum[0], sum[1]), sum[2])) <= slack);
  CHECK_NEAR(ct_norm(sum[CT_OWNER_A]), contact->patch_area, slack * 10.0);
  /* Round-off rotates triangles a millionth of a metre wide, but not faces. */
  CHECK_NEAR(0.5 * area, contact->area, slack * 1e3);
  CHECK(contact->volume > 0.0);
  /* Row 4: the ball about the inner point is in both. */
  CHECK(contact->margin > 0.0);
  CHECK(ct_max2(outside(&c->a, &fa, contact->inner), outside(&c->b, &fb, contact->inner)) <=
        -contact->margin + slack);
  /* The point, the centroid and the width. */
  CHECK(ct_max2(outside(&c->a, &fa, contact->position), outside(&c->b, &fb, contact->position)) <=
        slack);
  CHECK(contact->gap <= 0.0 && contact->raw_gap <= 0.0 && contact->gap >= 2.0 * contact->raw_gap);
  CHECK(contact->depth_along_normal >= -contact->gap - slack);
}

static void the_surface_is_closed_and_its_parts_balance(void) { each_case(4, surface_balances); }

/* The directional depth is at least the least separating translation. */
static void depth_bounds(const volume_case *c, const ct_volume_options *options,
                         ct_workspace *workspace) {
  ct_frame fa = ct_frame_of(c->pose_a), fb = ct_frame_of(c->pose_b);
  ct_pair_result pair;
  ct_pair_distance((ct_placed){&c->a, &fa}, (ct_placed){&c->b, &fb},
                   &(ct_pair_options){.threshold = INFINITY}, workspace, &pair);
  ct_volume v = run_query(c, options, workspace);
  if (options->method == CT_VOLUME_SOLFEC) return;
  CHECK(v.count == 0 || pair.lower_bound <= 0.0);
  CHECK(v.count == 1 || pair.upper_bound >= -1e-13);
  if (v.count == 1) CHECK(v.contacts[0].depth_along_normal >= -pair.upper_bound - 1e-13);
}

static void contacts_are_where_the_pair_overlaps(void) { each_case(5, depth_bounds); }

/* ---- monotone ------------------------------------------------------------------------------- */

static void larger_has_more(const volume_case *c, const ct_volume_options *given,
                            ct_workspace *workspace) {
  ct_volume_options options = {.method = given->method == CT_VOLUME_DUAL_HULL ? CT_VOLUME_DUAL_HULL
                                                                              : CT_VOLUME_AUTO};
  ct_volume v = run_query(c, &options, workspace);
  double volume = v.count ? v.contacts[0].volume : 0.0;
  volume_case large = *c;
  large.a = scaled(&c->a, 1.25); /* about its origin, which is inside or near it */
  ct_mass_properties mass;
  const ct_frame own = ct_frame_of(ct_pose_identity());
  bool holds = ct_shape_mass(&c->a, 1.0, &mass) && outside(&c->a, &own, ct_vec(0, 0, 0)) <= 0.0;
  v = run_query(&large, &options, workspace);
  if (holds) CHECK((v.count ? v.contacts[0].volume : 0.0) >= volume - 1e-13);
  if (holds) CHECK(volume <= mass.volume * (1.0 + 1e-12) + 1e-14);
  ct_shape_release(&large.a);
}

static void a_larger_body_has_more_in_common(void) { each_case(6, larger_has_more); }

/* ---- row 2 ---------------------------------------------------------------------------------- */

static ct_shape from_planes(const ct_shape *shape) {
  double planes[256][4];
  size_t count = 0;
  if (shape->kind == CT_KIND_BOX) {
    for (int f = 0; f < 6; f++, count++) {
      double s = f & 1 ? -1.0 : 1.0,
             half[3] = {shape->box.half.x, shape->box.half.y, shape->box.half.z};
      for (int k = 0; k < 3; k++) planes[count][k] = k == f / 2 ? s : 0.0;
      planes[count][3] = -half[f / 2];
    }
  } else {
    const ct_hull_view *view = ct_hull_get(shape->hull);
    for (; count < view->face_count; count++) {
      const double p[4] = {view->nx[count], view->ny[count], view->nz[count], -view->offset[count]};
      memcpy(planes[count], p, sizeof p);
    }
  }
  ct_hull *hull = NULL;
  CHECK_INT(ct_hull_from_planes((const double(*)[4])planes, count, NULL, &hull, NULL), CT_OK);
  return (ct_shape){.kind = CT_KIND_CONVEX, .hull = hull};
}

static void row_2_points_and_planes_give_equal_contacts(void) {
  check_random r = {8};
  ct_workspace *workspace = ct_workspace_create();
  int met = 0;
  for (int i = 0; i < 400; i++) {
    volume_case c = {
        .a = box(check_uniform(&r, 0.2, 1), check_uniform(&r, 0.2, 1), check_uniform(&r, 0.2, 1))};
    ct_vec3 p[12];
    for (int k = 0; k < 12; k++)
      p[k] = ct_vec(check_uniform(&r, -1, 1), check_uniform(&r, -1, 1), check_uniform(&r, -1, 1));
    c.b = hull_shape(p, 12);
    c.pose_a.rotation = random_turn(&r);
    c.pose_b =
        (ct_pose){{check_uniform(&r, -1, 1), check_uniform(&r, -1, 1), check_uniform(&r, -1, 1)},
                  random_turn(&r)};
    volume_case planes = {from_planes(&c.a), from_planes(&c.b), c.pose_a, c.pose_b};
    const ct_volume_options options = {.method = (ct_volume_method)(i % 2)};
    ct_volume v = run_query(&c, &options, workspace);
    ct_volume_contact first = v.count ? v.contacts[0] : (ct_volume_contact){0};
    ct_volume w = run_query(&planes, &options, workspace);
    if (first.volume > 1e-9) {
      met++;
      CHECK_INT(w.count, 1);
      const ct_volume_contact *q = &w.contacts[0];
      CHECK_NEAR(q->volume, first.volume, 1e-12);
      CHECK_NEAR(q->area, first.area, 1e-11);
      CHECK(ct_norm(ct_sub(q->position, first.position)) <= 1e-11 / first.area);
      /* Content order may differ; it changes only bits. */
      if (first.patch_area > 1e-3) CHECK(ct_norm(ct_sub(q->normal, first.normal)) <= 1e-8);
    }
    release_case(&planes);
    ct_hull_release(c.b.hull);
  }
  CHECK(met > 100);
  ct_workspace_destroy(workspace);
}

/* ---- memory --------------------------------------------------------------------------------- */

static void repeated_queries_allocate_nothing(void) {
  NEEDS_FAILING_MALLOC;
  check_random r = {9};
  volume_case cases[40];
  ct_workspace *workspace = ct_workspace_create();
  const ct_volume_options options = {.triangles = true};
  for (int i = 0; i < 40; i++) cases[i] = random_case(&r);
  for (int i = 0; i < 40; i++) run_query(&cases[i], &options, workspace);
  memory.taken = 0;
  memory.fail_at = 0;
  memory.counting = true;
  for (int i = 0; i < 40; i++) run_query(&cases[i], &options, workspace);
  memory.counting = false;
  CHECK_INT(memory.taken, 0);
  for (int i = 0; i < 40; i++) release_case(&cases[i]);
  ct_workspace_destroy(workspace);
}

/* Each allocation fails in turn: the contact is complete, or the list reports that memory was
 * short. */
static void out_of_memory_is_reported(void) {
  NEEDS_FAILING_MALLOC;
  check_random r = {11};
  for (int i = 0; i < 12; i++) {
    volume_case c = random_case(&r);
    for (int m = 0; m < CT_VOLUME_METHOD_COUNT; m++) {
      const ct_volume_options options = {
          .method = (ct_volume_method)m, .epsilon = 1e-4, .triangles = true};
      ct_workspace *full = ct_workspace_create();
      ct_volume truth = run_query(&c, &options, full);
      bool done = false;
      for (long n = 1; !done && n < 200; n++) {
        ct_workspace *workspace = ct_workspace_create();
        memory.taken = 0;
        memory.fail_at = n;
        memory.counting = true;
        ct_volume v = run_query(&c, &options, workspace);
        memory.counting = false;
        done = memory.taken < n;
        bool out_of_memory = ct_workspace_out_of_memory(workspace);
        CHECK(done ? !v.failed && !out_of_memory
                   : v.failed || out_of_memory || v.count == truth.count);
        if (!v.failed && !out_of_memory) CHECK_INT(v.count, truth.count);
        ct_workspace_destroy(workspace);
      }
      CHECK(done);
      ct_workspace_destroy(full);
    }
    release_case(&c);
  }
}

static const check_test tests[] = {
    {"a_swap_mirrors_every_bit", a_swap_mirrors_every_bit},
    {"rigid_motion_moves_the_contact", rigid_motion_moves_the_contact},
    {"powers_of_two_scale_every_bit", powers_of_two_scale_every_bit},
    {"the_surface_is_closed_and_its_parts_balance", the_surface_is_closed_and_its_parts_balance},
    {"contacts_are_where_the_pair_overlaps", contacts_are_where_the_pair_overlaps},
    {"a_larger_body_has_more_in_common", a_larger_body_has_more_in_common},
    {"row_2_points_and_planes_give_equal_contacts", row_2_points_and_planes_give_equal_contacts},
    {"repeated_queries_allocate_nothing", repeated_queries_allocate_nothing},
    {"out_of_memory_is_reported", out_of_memory_is_reported},
};
CHECK_MAIN(tests)
