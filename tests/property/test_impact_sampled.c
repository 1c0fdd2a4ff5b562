/* Times of impact of random motions of every pair of kinds, against distances sampled at many
 * times: no contact before the bracket, and a contact at its end. 1e3 motions; CONTACTD_FULL=1:
 * 1e5. */
#include "tests/oracle/pair_cases.h"
#include "tests/support/blocks.h"
#include "tests/support/meshes.h"
#include "tests/support/movers.h"
#include "tests/support/workspace.h"

#define SAMPLES 200
#define REFINEMENTS 30
/* Samples between two changes of a timeline. */
#define LOOKS 100
/* Rounding of distances and poses, relative to the sizes. */
#define SLACK 1e-11

static int motions(int few, int many) { return getenv("CONTACTD_FULL") ? many : few; }

/* ---- random bodies and paths ---------------------------------------------------------------- */

enum {
  FAMILY_MESH = 7,
  FAMILY_TETMESH,
  FAMILY_HEXMESH,
  FAMILY_PLANE,
  FAMILY_ROUNDED,
  FAMILY_COMPOUND,
  FAMILIES
};

static ct_shape random_elements(check_random *r, ct_element_type type) {
  block b = block_make(type, 1 + pick(r, 2), 1, 1 + pick(r, 2));
  ct_shape shape = ct_shape_of_elements(block_elements(&b));
  block_free(&b);
  return shape;
}

/* Two or three separate boxes: not convex, so other bodies may enter the space between them. */
static ct_shape random_fork(check_random *r) {
  soup s = {0};
  int count = 2 + (int)pick(r, 2);
  for (int i = 0; i < count; i++) {
    ct_vec3 low = ct_vec(0.8 * i - 0.8, check_uniform(r, -1.0, -0.2), check_uniform(r, -1.0, -0.2));
    soup_box(&s, low, ct_add(low, uniform_vec(r, 0.1, 0.6)));
  }
  if (pick(r, 2)) s.tn -= 2;
  return soup_shape(&s);
}

static ct_shape random_shape(check_random *r, uint32_t family) {
  pair_body body;
  if (family < FAMILY_MESH) {
    make_body(&body, case_kinds[family], r, 1.0, ct_vec(1, 1, 1));
    return body.shape;
  }
  switch (family) {
  case FAMILY_MESH: return pick(r, 2) ? soup_random(r) : random_fork(r);
  case FAMILY_TETMESH: return random_elements(r, CT_TETRAHEDRA);
  case FAMILY_HEXMESH: return random_elements(r, CT_HEXAHEDRA);
  case FAMILY_PLANE: return (ct_shape){.kind = CT_KIND_PLANE};
  default: make_body(&body, case_kinds[1 + pick(r, 5)], r, 1.0, ct_vec(1, 1, 1)); break;
  }
  body.shape.rounding = check_uniform(r, 0.01, 0.2);
  if (pick(r, 2)) body.shape.margin = check_uniform(r, 0.01, 0.1);
  return body.shape;
}

static const ct_body *random_body(check_random *r, uint32_t family) {
  ct_shape shapes[3];
  ct_pose poses[3] = {ct_pose_identity(), ct_pose_identity(), ct_pose_identity()};
  size_t count = family == FAMILY_COMPOUND ? 3 : 1;
  for (size_t i = 0; i < count; i++) {
    shapes[i] = random_shape(r, family == FAMILY_COMPOUND ? pick(r, FAMILY_MESH + 1) : family);
    if (count > 1) poses[i] = (ct_pose){random_vec(r, 1.0), random_rotation(r)};
  }
  const ct_body *body = mover_body(shapes, poses, count);
  for (size_t i = 0; i < count; i++) ct_shape_release(&shapes[i]);
  return body;
}

/* Roughly towards the origin, so that half of the motions end in a contact. */
static ct_path_options random_path(check_random *r, double side, bool turns) {
  ct_path_options o = {.kind = (ct_path_kind)pick(r, 5), .duration = 2.0};
  ct_vec3 place = ct_add(ct_vec(side * check_uniform(r, 1.0, 4.0), 0, 0), random_vec(r, 1.5));
  o.start = (ct_pose){place, random_rotation(r)};
  o.velocity.linear = ct_add(ct_vec(-side * check_uniform(r, 0.0, 4.0), 0, 0), random_vec(r, 1.0));
  o.velocity.angular = random_vec(r, pick(r, 3) ? 2.0 : 8.0);
  if (!turns || pick(r, 4) == 0) o.velocity.angular = ct_vec(0, 0, 0);
  o.center = pick(r, 2) ? random_vec(r, 0.5) : ct_vec(0, 0, 0);
  o.acceleration = random_vec(r, 2.0);
  o.inertia_diagonal = uniform_vec(r, 1.0, 2.0);
  o.inertia_orientation = random_rotation(r);
  o.end = (ct_pose){ct_sub(random_vec(r, 1.5), ct_vec(side * check_uniform(r, 0.0, 3.0), 0, 0)),
                    random_rotation(r)};
  return o;
}

typedef struct motion {
  ct_moving_body a, b;
  double size;
} motion;

static motion random_motion(check_random *r, uint32_t family_a, uint32_t family_b) {
  const ct_body *a = random_body(r, family_a), *b = random_body(r, family_b);
  /* The half-space is on the left, with its normal roughly to the right, and seldom rotates. */
  ct_path_options path_a = random_path(r, -1.0, family_a != FAMILY_PLANE || pick(r, 3) == 0);
  ct_path_options path_b = random_path(r, 1.0, family_b != FAMILY_PLANE || pick(r, 3) == 0);
  const ct_vec3 tilt = random_vec(r, 0.2);
  if (family_a == FAMILY_PLANE)
    path_a.start.rotation = (ct_quat){tilt.x, 1.0 + tilt.y, tilt.z, 1.0};
  if (family_b == FAMILY_PLANE)
    path_b.start.rotation = (ct_quat){tilt.x, -1.0 + tilt.y, tilt.z, 1.0};
  /* Some are far from the origin, where coordinates round to 1e-10 m. */
  double far = pick(r, 10) ? 0.0 : 1e6;
  path_a.start.position.y += far, path_b.start.position.y += far, path_a.end.position.y += far,
      path_b.end.position.y += far;
  return (motion){mover_of(a, &path_a), mover_of(b, &path_b), 20.0 + 100.0 * far};
}

static void motion_free(motion *m) {
  mover_free(m->a);
  mover_free(m->b);
}

/* ---- sampled distances ----------------------------------------------------------------------- */

/* Least signed distance over the pairs of colliders, by the narrow phase. */
static double distance_at(const motion *m, double time) {
  ct_frame a = ct_frame_of(ct_path_pose(m->a.path, time)),
           b = ct_frame_of(ct_path_pose(m->b.path, time));
  double least = INFINITY;
  for (size_t i = 0; i < ct_body_collider_count(m->a.body); i++) {
    ct_collider ca = ct_body_collider(m->a.body, i);
    ct_frame fa = ct_frame_mul(a, ct_frame_of(ca.pose));
    for (size_t j = 0; j < ct_body_collider_count(m->b.body); j++) {
      ct_collider cb = ct_body_collider(m->b.body, j);
      ct_frame fb = ct_frame_mul(b, ct_frame_of(cb.pose));
      const ct_pair_options options = {0.0, INFINITY};
      ct_pair_result result;
      ct_pair_distance((ct_placed){&ca.shape, &fa}, (ct_placed){&cb.shape, &fb}, &options,
                       workspace, &result);
      least = fmin(least, result.status == CT_PAIR_UNSUPPORTED ? -1.0 : result.distance);
    }
  }
  return least;
}

/* No contact anywhere in [from, to): sampled, and refined about the least sample. */
static void check_apart(const motion *m, double from, double to, const char *what) {
  if (!(to > from)) return;
  double step = (to - from) / SAMPLES, best = from, least = INFINITY;
  for (int i = 0; i < SAMPLES; i++) {
    double d = distance_at(m, from + i * step);
    if (d < least) best = from + i * step, least = d;
  }
  for (int i = 0; i < REFINEMENTS; i++) {
    step *= 0.6;
    for (int side = -1; side <= 1; side += 2) {
      double time = fmin(fmax(best + side * step, from), nextafter(to, from)),
             d = distance_at(m, time);
      if (d < least) best = time, least = d;
    }
  }
  if (!(least > -SLACK * m->size))
    CHECK_FAIL("%s: in contact by %g at %.17g, before %.17g", what, -least, best, to);
}

/* In contact at the start and separating: once all colliders are apart, no contact occurs before
 * the reported time. */
static void check_parted_until(const motion *m, double begin, double until) {
  double slack = SLACK * m->size, parted = INFINITY;
  for (int i = 0; i <= SAMPLES && !(parted < until); i++) {
    double time = begin + i * (until - begin) / SAMPLES;
    if (distance_at(m, time) > slack) parted = time;
  }
  check_apart(m, parted, until, "after parting");
}

/* Bodies approach at a begin of contact, up to rounding. */
static void check_approach(const ct_toi *impact) {
  double speed = ct_norm(impact->relative_velocity);
  if (!(impact->normal_velocity <= 1e-6 * speed))
    CHECK_FAIL("parts at %g m/s of %g", impact->normal_velocity, speed);
}

static void check_contact(const motion *m, const ct_toi *impact, double begin) {
  CHECK(begin <= impact->lower && impact->lower <= impact->time && impact->time <= impact->upper);
  CHECK(distance_at(m, impact->upper) <= 0.0);
  bool single = ct_body_collider_count(m->a.body) * ct_body_collider_count(m->b.body) == 1;
  if (!(impact->flags & CT_TOI_FLAG_SEPARATING_AT_START))
    check_apart(m, begin, impact->lower, "before a contact");
  else check_parted_until(m, begin, impact->lower);
  check_approach(impact);
  if (impact->flags & CT_TOI_FLAG_SEPARATING_AT_START && single)
    CHECK(distance_at(m, impact->lower) > -SLACK * m->size);
  /* The distance at the reported time is zero, up to the width of the bracket. */
  if (impact->upper - impact->lower < 1e-9)
    CHECK_NEAR(impact->contact.distance, 0.0, 1e-9 + 1e-15 * m->size);
}

typedef struct tally {
  int contacts, initials, none, undecided, grazes;
  uint64_t distances;
} tally;

static void check_impact(const motion *m, const ct_toi_options *o, const ct_toi *impact, tally *t) {
  t->distances += impact->iterations;
  t->grazes += (impact->flags & CT_TOI_FLAG_GRAZE) != 0;
  switch (impact->event) {
  case CT_TOI_CONTACT:
    t->contacts++;
    check_contact(m, impact, o->begin);
    return;
  case CT_TOI_INITIAL:
    t->initials++;
    CHECK(distance_at(m, o->begin) <= SLACK * m->size);
    /* If the search ended before the motion, the result makes no claim about the rest. */
    if (impact->flags & CT_TOI_FLAG_SEPARATING_AT_START && impact->status == CT_PAIR_OK)
      check_parted_until(m, o->begin, o->end);
    return;
  case CT_TOI_NONE:
    t->none++;
    if (!impact->flags) CHECK(impact->free_until == o->end);
    check_apart(m, o->begin, o->end, "none");
    if (impact->flags & CT_TOI_FLAG_GRAZE)
      CHECK_NEAR(distance_at(m, impact->graze_time), 0.0, SLACK * m->size);
    return;
  default: t->undecided++; check_apart(m, o->begin, impact->free_until, "undecided");
  }
}

static void brackets_contain_the_true_time_in_random_motions(void) {
  check_random r = {1701};
  tally t = {0};
  int count = motions(1000, 100000);
  for (int i = 0; i < count; i++) {
    uint32_t family_a = (uint32_t)i % FAMILIES, family_b = (uint32_t)(i / FAMILIES) % FAMILIES;
    motion m = random_motion(&r, family_a, family_b);
    ct_toi_options options = whole_motion(2.0);
    if (i % 5 == 0) options.begin = 0.25, options.end = 1.75;
    if (i % 7 == 0) options.time_tolerance = 1e-6;
    ct_toi impact;
    CHECK_INT(ct_body_toi(m.a, m.b, &options, workspace, &impact), CT_OK);
    int before = check_failures;
    check_impact(&m, &options, &impact, &t);
    if (check_failures != before)
      fprintf(stderr, "  motion %d, families %u and %u, event %d\n", i, family_a, family_b,
              (int)impact.event);
    motion_free(&m);
  }
  if (getenv("CONTACTD_FULL"))
    fprintf(stderr, "contacts %d initial %d none %d undecided %d grazes %d distances %.1f\n",
            t.contacts, t.initials, t.none, t.undecided, t.grazes, (double)t.distances / count);
  CHECK(t.contacts > count / 4 && t.none > count / 10 && t.undecided <= count / 100);
}

/* Meshes that meet where corners, edges and faces coincide within round-off: the distance has no
 * direction there, and the contact has the direction of the time just before. */
static void the_normal_of_colliding_meshes_is_along_their_motion(void) {
  const uint32_t seeds[] = {431, 1081, 1392, 1587, 1921, 2057};
  for (int i = 0; i < 6; i++) {
    check_random r = {seeds[i]};
    bool elements = seeds[i] == 1392;
    motion m = random_motion(&r, elements ? FAMILY_HEXMESH : FAMILY_MESH,
                             elements ? FAMILY_MESH : FAMILY_TETMESH);
    ct_toi_options options = whole_motion(2.0);
    ct_toi impact;
    CHECK_INT(ct_body_toi(m.a, m.b, &options, workspace, &impact), CT_OK);
    CHECK_INT(impact.event, CT_TOI_CONTACT);
    check_contact(&m, &impact, 0.0);
    motion_free(&m);
  }
}

/* ---- swap ----------------------------------------------------------------------------------- */

static bool same_vec(ct_vec3 a, ct_vec3 b) { return a.x == b.x && a.y == b.y && a.z == b.z; }
static bool opposite(ct_vec3 a, ct_vec3 b) { return a.x == -b.x && a.y == -b.y && a.z == -b.z; }

static void check_mirrored(const ct_pair_result *p, const ct_pair_result *q) {
  CHECK(p->distance == q->distance && p->lower_bound == q->lower_bound &&
        p->upper_bound == q->upper_bound);
  CHECK(opposite(p->normal, q->normal) && same_vec(p->point_a, q->point_b) &&
        same_vec(p->point_b, q->point_a));
  CHECK(p->triangle_a == q->triangle_b && p->triangle_b == q->triangle_a && p->status == q->status);
}

static void swapped_bodies_mirror_bit_for_bit(void) {
  check_random r = {1702};
  int count = motions(240, 20000);
  ct_timeline t = {.count = 0}, u = {.count = 0};
  for (int i = 0; i < count; i++) {
    motion m = random_motion(&r, (uint32_t)i % FAMILIES, pick(&r, FAMILIES));
    ct_toi_options options = whole_motion(2.0);
    options.method = i % 4 == 3 ? CT_TOI_BISECTION : CT_TOI_CONSERVATIVE_ADVANCEMENT;
    ct_toi p, q;
    CHECK_INT(ct_body_toi(m.a, m.b, &options, workspace, &p), CT_OK);
    CHECK_INT(ct_body_toi(m.b, m.a, &options, workspace, &q), CT_OK);
    CHECK(p.event == q.event && p.time == q.time && p.lower == q.lower && p.upper == q.upper &&
          p.free_until == q.free_until);
    CHECK(p.flags == q.flags && p.graze_time == q.graze_time &&
          p.graze_distance == q.graze_distance);
    CHECK(p.iterations == q.iterations && p.collider_a == q.collider_b &&
          p.collider_b == q.collider_a);
    check_mirrored(&p.contact, &q.contact);
    CHECK(opposite(p.relative_velocity, q.relative_velocity) &&
          p.normal_velocity == q.normal_velocity);
    if (i % 4 == 0) {
      CHECK_INT(ct_body_timeline(m.a, m.b, &options, 10, workspace, &t), CT_OK);
      CHECK_INT(ct_body_timeline(m.b, m.a, &options, 10, workspace, &u), CT_OK);
      CHECK(t.count == u.count && t.status == u.status && t.known_until == u.known_until &&
            t.in_contact == u.in_contact);
      for (size_t k = 0; k < t.count && k < u.count; k++) {
        const ct_contact_change *c = &t.changes[k], *d = &u.changes[k];
        CHECK(c->began == d->began && c->time == d->time && c->lower == d->lower &&
              c->upper == d->upper);
        CHECK(c->collider_a == d->collider_b && c->collider_b == d->collider_a &&
              c->normal_velocity == d->normal_velocity);
        check_mirrored(&c->contact, &d->contact);
      }
    }
    motion_free(&m);
  }
  ct_timeline_free(&t);
  ct_timeline_free(&u);
}

/* ---- few iterations ------------------------------------------------------------------------- */

static void few_iterations_leave_a_true_free_interval(void) {
  check_random r = {1703};
  int count = motions(200, 20000), undecided = 0;
  for (int i = 0; i < count; i++) {
    motion m = random_motion(&r, (uint32_t)i % FAMILIES, pick(&r, FAMILIES));
    ct_toi_options options = whole_motion(2.0);
    options.iterations_max = 1 + pick(&r, 3);
    ct_toi impact;
    tally t = {0};
    CHECK_INT(ct_body_toi(m.a, m.b, &options, workspace, &impact), CT_OK);
    size_t pairs = ct_body_collider_count(m.a.body) * ct_body_collider_count(m.b.body);
    CHECK(impact.iterations <= options.iterations_max * pairs);
    check_impact(&m, &options, &impact, &t);
    undecided += t.undecided;
    motion_free(&m);
  }
  CHECK(undecided > count / 20);
}

/* ---- thin plates ---------------------------------------------------------------------------- */

/* A small body shot through a plate of 1 um to 1 cm at up to 1 km/s cannot reach the other side
 * without a contact. */
static void no_plate_is_tunnelled(void) {
  check_random r = {1704};
  int count = motions(300, 20000);
  for (int i = 0; i < count; i++) {
    double thin = pow(10.0, check_uniform(&r, -6.0, -2.0)),
           speed = pow(10.0, check_uniform(&r, 0.0, 3.0));
    uint32_t family = pick(&r, FAMILY_MESH + 1);
    ct_shape plate = {.kind = CT_KIND_BOX, .box = {{0.5 * thin, 4.0, 4.0}}},
             shot = random_shape(&r, family);
    double duration = 8.0 / speed;
    ct_vec3 aside = random_vec(&r, 1.0), turn = random_vec(&r, pick(&r, 2) ? 0.0 : 3.0 / duration);
    ct_path_options path =
        twists(duration, (ct_pose){ct_vec(-4.0, aside.y, aside.z), random_rotation(&r)},
               ct_vec(speed, 0, 0), turn);
    ct_path_options rest = stays(duration, ct_pose_identity());
    /* It falls by less than half a metre on the way. */
    if (pick(&r, 2))
      path.acceleration = ct_vec(0, 0, -0.01 * speed * speed), path.kind = CT_PATH_BALLISTIC;
    motion m = {mover(plate, &rest), mover(shot, &path), 20.0};
    ct_shape_release(&shot);
    ct_toi_options options = whole_motion(duration);
    ct_toi impact;
    CHECK_INT(ct_body_toi(m.a, m.b, &options, workspace, &impact), CT_OK);
    CHECK_INT(impact.event, CT_TOI_CONTACT);
    check_contact(&m, &impact, 0.0);
    motion_free(&m);
  }
}

/* ---- timelines ------------------------------------------------------------------------------ */

/* Crossing surfaces have no depth. */
static bool has_surface(const ct_body *body) {
  for (size_t i = 0; i < ct_body_collider_count(body); i++) {
    ct_collider c = ct_body_collider(body, i);
    if (c.shape.kind == CT_KIND_MESH && !ct_mesh_get(c.shape.mesh)->solid) return true;
  }
  return false;
}

/* Between two changes: in contact, or apart, at every sampled time. Surfaces may separate by less
 * than the fraction of the smaller radius given in contact/toi.h; that radius is at most 2 m
 * here. */
static void check_stretch(const motion *m, double from, double to, bool touching) {
  bool surface = has_surface(m->a.body) || has_surface(m->b.body);
  double slack = SLACK * m->size + (touching && surface ? 2e-3 : 0.0);
  for (int i = 0; i < LOOKS && to > from; i++) {
    double time = from + (i + 0.5) * (to - from) / LOOKS, d = distance_at(m, time);
    if (touching ? d > slack : d < -slack)
      CHECK_FAIL("%s by %g at %.17g", touching ? "apart" : "in contact", fabs(d), time);
  }
}

static void timelines_distinguish_contact_from_separation(void) {
  check_random r = {1705};
  int count = motions(300, 20000), ended = 0, cut = 0;
  ct_timeline t = {.count = 0};
  for (int i = 0; i < count; i++) {
    uint32_t family_a = (uint32_t)i % FAMILIES, family_b = pick(&r, FAMILIES);
    motion m = random_motion(&r, family_a, family_b);
    ct_toi_options options = whole_motion(2.0);
    CHECK_INT(ct_body_timeline(m.a, m.b, &options, 100, workspace, &t), CT_OK);
    bool touching = t.in_contact;
    double from = 0.0;
    int before = check_failures;
    for (size_t k = 0; k < t.count; k++) {
      const ct_contact_change *c = &t.changes[k];
      CHECK(c->began != touching && from <= c->lower && c->lower <= c->time && c->time <= c->upper);
      check_stretch(&m, from, c->lower, touching);
      double d = distance_at(&m, c->upper);
      CHECK(c->began ? d <= 0.0 : d > 0.0);
      from = c->upper;
      touching = c->began;
      ended += !c->began;
    }
    check_stretch(&m, from, t.known_until, touching);
    cut += t.status != CT_TIMELINE_COMPLETE;
    if (check_failures != before)
      fprintf(stderr, "  motion %d, families %u and %u\n", i, family_a, family_b);
    motion_free(&m);
  }
  if (getenv("CONTACTD_FULL")) fprintf(stderr, "ended %d cut short %d of %d\n", ended, cut, count);
  CHECK(ended > count / 10 && cut <= count / 1000);
  ct_timeline_free(&t);
}

static const check_test tests[] = {
    {"brackets hold the truth in random motions", brackets_contain_the_true_time_in_random_motions},
    {"meshes meet along the direction they come",
     the_normal_of_colliding_meshes_is_along_their_motion},
    {"swapped bodies mirror bit for bit", swapped_bodies_mirror_bit_for_bit},
    {"few iterations leave a true free interval", few_iterations_leave_a_true_free_interval},
    {"no plate is tunnelled", no_plate_is_tunnelled},
    {"timelines tell contact from apart", timelines_distinguish_contact_from_separation},
};
WORKSPACE_MAIN(tests)
