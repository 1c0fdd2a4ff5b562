/* Bodies on paths, given by their numbers. A mover owns its body and its path; the caller releases
 * it. */
#ifndef TESTS_MOVERS_H
#define TESTS_MOVERS_H

#include "tests/support/check.h"

#include <contact/limits.h>
#include <contact/toi.h>

static inline const ct_body *mover_body(const ct_shape *shapes, const ct_pose *poses,
                                        size_t count) {
  ct_collider colliders[16] = {{.shape = {.kind = CT_KIND_SPHERE}}};
  for (size_t i = 0; i < count; i++)
    colliders[i] = (ct_collider){.shape = shapes[i], .pose = poses ? poses[i] : ct_pose_identity()};
  ct_body_options options = {.id = {"body", 4}, .colliders = colliders, .collider_count = count};
  const ct_body *body = NULL;
  if (ct_body_create(&options, &body) != CT_OK) abort();
  return body;
}

static inline ct_path *mover_path(const ct_path_options *options) {
  ct_path *path = NULL;
  if (ct_path_create(options, &path) != CT_OK) abort();
  return path;
}

static inline ct_moving_body mover_of(const ct_body *body, const ct_path_options *options) {
  return (ct_moving_body){body, mover_path(options)};
}

/* One shape with the origin as its centre. */
static inline ct_moving_body mover(ct_shape shape, const ct_path_options *options) {
  return mover_of(mover_body(&shape, NULL, 1), options);
}

static inline void mover_free(ct_moving_body m) {
  ct_body_release(m.body);
  ct_path_destroy((ct_path *)(uintptr_t)m.path);
}

static inline ct_path_options stays(double duration, ct_pose pose) {
  return (ct_path_options){.kind = CT_PATH_REST, .start = pose, .duration = duration};
}

static inline ct_path_options twists(double duration, ct_pose pose, ct_vec3 linear,
                                     ct_vec3 angular) {
  return (ct_path_options){
      .kind = CT_PATH_TWIST, .start = pose, .duration = duration, .velocity = {linear, angular}};
}

static inline ct_path_options falls(double duration, ct_pose pose, ct_vec3 linear,
                                    ct_vec3 acceleration) {
  return (ct_path_options){.kind = CT_PATH_BALLISTIC,
                           .start = pose,
                           .duration = duration,
                           .velocity = {linear, {0, 0, 0}},
                           .acceleration = acceleration};
}

static inline ct_toi_options whole_motion(double duration) {
  return (ct_toi_options){.end = duration, .iterations_max = CT_TOI_ITERATIONS};
}

#endif
