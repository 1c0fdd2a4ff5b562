/* Moving bodies, and contact states of their scenes. */
#ifndef TESTS_CONTACT_STATES_H
#define TESTS_CONTACT_STATES_H

#include "tests/support/scenes.h"
#include "tests/support/workspace.h"

/* A body of one kilogram. */
static inline const ct_body *mover_of(const char *id, const ct_shape *shapes, const ct_pose *poses,
                                      size_t count, const char *group) {
  ct_collider colliders[16] = {{.shape = {.kind = CT_KIND_SPHERE}}};
  for (size_t i = 0; i < count && i < 16; i++)
    colliders[i] = (ct_collider){.shape = shapes[i], .pose = poses ? poses[i] : ct_pose_identity()};
  const ct_text groups[1] = {group ? text_of(group) : (ct_text){NULL, 0}};
  const ct_motion motion = {
      .source = CT_MASS_MASS, .value = 1.0, .inertia_orientation = {0, 0, 0, 1}};
  const ct_body_options options = {.id = text_of(id),
                                   .colliders = colliders,
                                   .collider_count = count,
                                   .motion = &motion,
                                   .groups = groups,
                                   .group_count = group != NULL};
  const ct_body *body = NULL;
  CHECK_INT(ct_body_create(&options, &body), CT_OK);
  return body;
}

static inline uint32_t add_mover(ct_draft *draft, const char *id, ct_shape shape, ct_pose pose) {
  return add_body(draft, mover_of(id, &shape, NULL, 1, NULL), pose);
}

static inline void place(ct_draft *draft, const char *id, ct_pose pose) {
  CHECK_INT(ct_draft_set_pose(draft, ct_draft_find(draft, text_of(id)), &pose), CT_OK);
}

static inline ct_contact_event_options event_at(double time) {
  return (ct_contact_event_options){
      .time = time, .epsilon = CT_CONTACT_EPSILON, .contacts_max = 1000000};
}

static inline ct_contact_event next_event(const ct_scene *scene, const ct_contact_state *previous,
                                          double time) {
  const ct_contact_event_options options = event_at(time);
  ct_contact_event event = {0};
  CHECK_INT(ct_contact_event_run(scene, previous, &options, workspace, &event), CT_OK);
  return event;
}

static inline ct_contact_monitor monitor_of(const ct_scene *scene, const ct_contact_state *state) {
  ct_contact_monitor out = {.contacts = NULL};
  const ct_contact_monitor_options options = {.evaluation = CT_EVALUATE_MONITOR};
  CHECK_INT(ct_contact_monitor_run(scene, state, &options, workspace, &out), CT_OK);
  return out;
}

#endif
