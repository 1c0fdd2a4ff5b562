/* Public structs that are zero-initialised: each equals the documented default, compared with a
 * closed form, or is refused with a status. */
#include "tests/support/scenes.h"
#include "tests/support/workspace.h"

#include <contact/advance.h>
#include <contact/manifold.h>
#include <contact/pair_methods.h>
#include <contact/query.h>
#include <contact/toi.h>

static const ct_pose nothing;

static ct_frame frame_at(double x, double y, double z) {
  return ct_frame_of((ct_pose){{x, y, z}, nothing.rotation});
}

/* Two boxes of 2 x 2 x 2, one turned by 45 degrees about z: apart by 4 - 1 - sqrt 2. */
typedef enum measure { DISTANCE, GJK_EPA, MPR, CONTACTS, MEASURES } measure;

static double distance_by(measure m, ct_placed a, ct_placed b) {
  ct_pair_result result = {0};
  ct_mpr_result portal;
  ct_manifold manifold;
  switch (m) {
  case DISTANCE: ct_pair_distance(a, b, &(ct_pair_options){0}, workspace, &result); break;
  case GJK_EPA: ct_pair_gjk_epa(a, b, &(ct_pair_options){0}, workspace, &result); break;
  case MPR:
    ct_pair_mpr(a, b, &(ct_mpr_options){0}, &portal);
    CHECK_INT(portal.status, CT_PAIR_OK);
    return portal.distance;
  default:
    ct_pair_contacts(a, b, &(ct_contact_options){.clearance = 4.0}, workspace, &manifold);
    CHECK(manifold.count > 0 && !manifold.failed);
    return manifold.pair.distance;
  }
  CHECK_INT(result.status, CT_PAIR_OK);
  CHECK(result.lower_bound <= result.distance && result.distance <= result.upper_bound);
  return result.distance;
}

static void zero_pair_options_give_the_full_distance(void) {
  static const struct {
    ct_quat turn;
    double distance;
  } rows[] = {{{0}, 2.0},
              {{0.0, 0.0, 0.38268343236508977, 0.92387953251128674}, 3.0 - 1.4142135623730951}};
  const ct_shape shapes[] = {box_of(1, 1, 1),
                             {.kind = CT_KIND_BOX, .box.half = {1, 1, 1}, .rounding = 0.0}};
  for (size_t i = 0; i < 2; i++)
    for (int m = 0; m < MEASURES; m++) {
      const ct_frame first = frame_at(0, 0, 0),
                     second = ct_frame_of((ct_pose){{4, 0.1, 0.2}, rows[i].turn});
      double found = distance_by((measure)m, (ct_placed){&shapes[0], &first},
                                 (ct_placed){&shapes[1], &second});
      CHECK_NEAR(found, rows[i].distance, m == MPR ? 1e-6 : 1e-12);
    }
  /* Curved bodies, where an early result would be too short: a sphere and a cone, and two
   * ellipsoids. */
  const ct_shape ball = sphere_of(1),
                 oval = {.kind = CT_KIND_ELLIPSOID, .ellipsoid = {.radii = {1, 2, 3}}};
  const ct_frame low = frame_at(0, 0, 0), high = frame_at(0, 0, 10);
  CHECK_NEAR(distance_by(DISTANCE, (ct_placed){&oval, &low}, (ct_placed){&oval, &high}), 4.0,
             1e-12);
  CHECK_NEAR(distance_by(DISTANCE, (ct_placed){&oval, &low}, (ct_placed){&ball, &high}), 6.0,
             1e-12);
  const ct_frame aside = frame_at(9, 7, 5);
  ct_pair_result zero, full;
  ct_pair_distance((ct_placed){&oval, &low}, (ct_placed){&oval, &aside}, &(ct_pair_options){0},
                   workspace, &zero);
  const ct_pair_options always = {.threshold = INFINITY};
  ct_pair_distance((ct_placed){&oval, &low}, (ct_placed){&oval, &aside}, &always, workspace, &full);
  CHECK(memcmp(&zero.distance, &full.distance, 3 * sizeof(double)) == 0);
}

/* A ball of radius 1 with a zero collider pose, at (0, 0, z) with a zero rotation. */
static const ct_body *ball_named(const char *id) {
  const ct_collider collider = {.shape = sphere_of(1)};
  static const ct_motion motion = {
      .source = CT_MASS_MASS, .value = 2.0, .has_inertia = true, .inertia_diagonal = {1, 1, 1}};
  const ct_body_options options = {
      .id = text_of(id), .colliders = &collider, .collider_count = 1, .motion = &motion};
  const ct_body *body = NULL;
  CHECK_INT(ct_body_create(&options, &body), CT_OK);
  return body;
}

static bool is_unit(ct_quat q) { return q.x == 0.0 && q.y == 0.0 && q.z == 0.0 && q.w == 1.0; }

static void zero_poses_are_the_identity(void) {
  const ct_scene *base = ct_scene_create(0);
  ct_draft *draft = ct_draft_begin(base);
  const ct_body *bodies[2] = {ball_named("a"), ball_named("b")};
  uint32_t row[2];
  for (int i = 0; i < 2; i++) {
    const ct_pose pose = {{0, 0, 3.0 * i}, nothing.rotation};
    const ct_velocity velocity = {0};
    CHECK_INT(ct_draft_insert(draft, bodies[i], &pose, &velocity, &row[i]), CT_OK);
    CHECK(is_unit(ct_draft_pose(draft, row[i]).rotation));
    CHECK_INT(ct_draft_set_pose(draft, row[i], &pose), CT_OK);
    CHECK(is_unit(ct_draft_pose(draft, row[i]).rotation));
    CHECK(is_unit(ct_body_collider(bodies[i], 0).pose.rotation));
    CHECK(is_unit(ct_body_motion(bodies[i])->inertia_orientation));
  }
  const ct_scene *scene = seal(draft, base);
  const ct_frame frames[2] = {ct_frame_of(ct_scene_pose(scene, row[0])),
                              ct_frame_of(ct_scene_pose(scene, row[1]))};
  ct_collider colliders[2] = {ct_body_collider(bodies[0], 0), ct_body_collider(bodies[1], 0)};
  CHECK_NEAR(distance_by(DISTANCE, (ct_placed){&colliders[0].shape, &frames[0]},
                         (ct_placed){&colliders[1].shape, &frames[1]}),
             1.0, 1e-12);
  for (int i = 0; i < 2; i++) ct_body_release(bodies[i]);
  ct_scene_release(scene);
}

static void zero_paths_are_refused_and_zero_impact_options_search(void) {
  ct_path *still = NULL, *moving = NULL;
  CHECK_INT(ct_path_create(&(ct_path_options){0}, &still), CT_LIMIT);
  CHECK(still == NULL);
  CHECK_INT(ct_path_create(&(ct_path_options){.duration = 4.0}, &still), CT_OK);
  CHECK_INT(ct_path_create(&(ct_path_options){.kind = CT_PATH_TWIST,
                                              .start = {{0, 0, 5}, nothing.rotation},
                                              .duration = 4.0,
                                              .velocity = {{0, 0, -1}, {0, 0, 0}}},
                           &moving),
            CT_OK);
  const ct_body *bodies[2] = {ball_named("a"), ball_named("b")};
  const ct_moving_body a = {.body = bodies[0], .path = still},
                       b = {.body = bodies[1], .path = moving};
  ct_toi impact;
  CHECK_INT(ct_body_toi(a, b, &(ct_toi_options){.end = 4.0}, workspace, &impact), CT_OK);
  CHECK_INT(impact.event, CT_TOI_CONTACT);
  CHECK_NEAR(impact.time, 3.0, 1e-12); /* the balls are 3 m apart */
  for (int i = 0; i < 2; i++) ct_body_release(bodies[i]);
  ct_path_destroy(still);
  ct_path_destroy(moving);
}

static void zero_body_options_are_refused(void) {
  const ct_body *body = NULL;
  CHECK_INT(ct_body_create(&(ct_body_options){0}, &body), CT_LIMIT);
  CHECK(body == NULL);
}

static const check_test tests[] = {
    {"zero_pair_options_give_the_full_distance", zero_pair_options_give_the_full_distance},
    {"zero_poses_are_the_identity", zero_poses_are_the_identity},
    {"zero_paths_are_refused_and_zero_impact_options_search",
     zero_paths_are_refused_and_zero_impact_options_search},
    {"zero_body_options_are_refused", zero_body_options_are_refused},
};

int main(int argc, char **argv) {
  return workspace_main(argc, argv, tests, sizeof tests / sizeof tests[0]);
}
