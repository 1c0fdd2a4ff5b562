/* The time of impact of two bodies stops soon after the flag is raised, at any stage; without the
 * flag it completes. */
#include "tests/support/polls.h"

#include "tests/support/movers.h"

enum { COLLIDERS = 600 };

typedef struct motion {
  ct_moving_body a, b;
  ct_workspace *workspace;
} motion;

static ct_status run_toi(void *context, ct_cancel *cancel) {
  const motion *m = context;
  ct_toi_options options = whole_motion(1.0);
  options.cancel = cancel;
  ct_toi impact;
  ct_workspace_watch(m->workspace, cancel);
  ct_status status = ct_body_toi(m->a, m->b, &options, m->workspace, &impact);
  ct_workspace_watch(m->workspace, NULL);
  return status;
}

/* A body of small boxes in a cube of 2 m. */
static const ct_body *scattered_boxes(check_random *r) {
  static ct_collider colliders[COLLIDERS];
  for (int i = 0; i < COLLIDERS; i++) {
    ct_vec3 p = {check_uniform(r, -1, 1), check_uniform(r, -1, 1), check_uniform(r, -1, 1)};
    colliders[i] = (ct_collider){.shape = {.kind = CT_KIND_BOX, .box = {{0.01, 0.01, 0.02}}},
                                 .pose = {p, {0.1, 0.2, 0.3, 1.0}}};
  }
  ct_body_options options = {
      .id = {"body", 4}, .colliders = colliders, .collider_count = COLLIDERS};
  const ct_body *body = NULL;
  CHECK_INT(ct_body_create(&options, &body), CT_OK);
  return body;
}

/* If the descent through the trees of balls did not poll, a fifth of the work would pass between
 * two polls, with this seed. */
static void a_time_of_impact_of_many_colliders_stops_soon(void) {
  check_random r = {7};
  const ct_path_options rest = stays(1.0, (ct_pose){{0.3, 0, 0}, {0, 0, 0, 1}}),
                        twist = twists(1.0, ct_pose_identity(), ct_vec(0.5, 0, 0),
                                       ct_vec(0.1, 0.2, 0.3));
  motion m = {mover_of(scattered_boxes(&r), &twist), mover_of(scattered_boxes(&r), &rest),
              ct_workspace_create()};
  polls_check_stops(run_toi, &m, CT_OK, 0.0);
  ct_workspace_destroy(m.workspace);
  mover_free(m.a);
  mover_free(m.b);
}

static const check_test tests[] = {
    {"a_time_of_impact_of_many_colliders_stops_soon",
     a_time_of_impact_of_many_colliders_stops_soon},
};

CHECK_MAIN(tests)
