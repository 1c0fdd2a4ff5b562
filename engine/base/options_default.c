/* Defaults of every options struct of the public headers: the values that zeros stand for.
 *
 * A zeroed struct gives the same results. A member whose 0 selects the method's own default stays
 * 0, because the method is another member. Limits that would allow nothing at 0 are those of
 * limits.h. The hysteresis of a contact state, which must not be 0, is CT_CONTACT_EPSILON.
 */
#include <contact/contact.h>

static const ct_quat no_rotation = {0.0, 0.0, 0.0, 1.0};

/* ---- pairs of shapes ------------------------------------------------------------------------ */

ct_pair_options ct_pair_options_default(void) { return (ct_pair_options){.threshold = INFINITY}; }

ct_mpr_options ct_mpr_options_default(void) {
  return (ct_mpr_options){.tolerance = CT_MPR_TOLERANCE, .iterations_max = CT_MPR_ITERATIONS};
}

ct_contact_options ct_contact_options_default(void) {
  return (ct_contact_options){.detail = CT_DETAIL_DEEPEST};
}

ct_volume_options ct_volume_options_default(void) {
  return (ct_volume_options){.weighting = CT_WEIGHTING_LINEAR, .method = CT_VOLUME_AUTO};
}

ct_features_options ct_features_options_default(void) {
  return (ct_features_options){.mode = CT_FEATURES_BACKWARD, .edge_depth = CT_FEATURES_ANY_DEPTH};
}

ct_mesh_repair_options ct_mesh_repair_options_default(void) {
  return (ct_mesh_repair_options){.planarity = CT_MESH_PLANARITY};
}

/* ---- boxes and scenes ----------------------------------------------------------------------- */

ct_broad_options ct_broad_options_default(void) {
  return (ct_broad_options){.method = CT_BROADPHASE_AUTO, .limit = CT_PAIRS_MAX};
}

ct_sweep_options ct_sweep_options_default(void) {
  return (ct_sweep_options){.limit = CT_PAIRS_MAX};
}

ct_sparsify_options ct_sparsify_options_default(void) {
  return (ct_sparsify_options){.threshold = 0.0};
}

ct_body_options ct_body_options_default(void) { return (ct_body_options){.motion = NULL}; }

ct_query_options ct_query_options_default(void) {
  return (ct_query_options){.broadphase = CT_BROADPHASE_AUTO};
}

ct_query_overlap_options ct_query_overlap_options_default(void) {
  return (ct_query_overlap_options){.test = NULL};
}

ct_query_distance_options ct_query_distance_options_default(void) {
  return (ct_query_distance_options){.nearest = false};
}

ct_query_contacts_options ct_query_contacts_options_default(void) {
  return (ct_query_contacts_options){.detail = CT_DETAIL_DEEPEST};
}

ct_query_volume_options ct_query_volume_options_default(void) {
  return (ct_query_volume_options){.volume = ct_volume_options_default()};
}

ct_probe_options ct_probe_options_default(void) {
  return (ct_probe_options){
      .kind = CT_PROBE_RAYCAST, .nearest = 1, .region_pose = {.rotation = no_rotation}};
}

/* ---- motion --------------------------------------------------------------------------------- */

ct_path_options ct_path_options_default(void) {
  return (ct_path_options){.kind = CT_PATH_REST,
                           .start = {.rotation = no_rotation},
                           .inertia_orientation = no_rotation,
                           .end = {.rotation = no_rotation}};
}

ct_toi_options ct_toi_options_default(void) {
  return (ct_toi_options){.method = CT_TOI_CONSERVATIVE_ADVANCEMENT,
                          .iterations_max = CT_TOI_ITERATIONS};
}

ct_motion_options ct_motion_options_default(void) {
  return (ct_motion_options){.changes_max = CT_CHANGES_MAX, .impact = ct_toi_options_default()};
}

ct_contact_event_options ct_contact_event_options_default(void) {
  return (ct_contact_event_options){.epsilon = CT_CONTACT_EPSILON,
                                    .method = CT_CONTACT_DISTANCE,
                                    .mpr = ct_mpr_options_default(),
                                    .contacts_max = CT_CONTACTS_MAX};
}

ct_contact_monitor_options ct_contact_monitor_options_default(void) {
  return (ct_contact_monitor_options){.evaluation = CT_EVALUATE_MONITOR};
}

/* ---- forces and solvers --------------------------------------------------------------------- */

ct_mechanics_options ct_mechanics_options_default(void) {
  return (ct_mechanics_options){
      .detail = CT_DETAIL_DEEPEST, .candidates_max = CT_PAIRS_MAX, .contacts_max = CT_CONTACTS_MAX};
}

ct_impulse_options ct_impulse_options_default(void) {
  return (ct_impulse_options){.law = CT_IMPULSE_ALGEBRAIC, .simultaneity = CT_SIMULTANEITY_NEWTON};
}

ct_elastic_options ct_elastic_options_default(void) {
  return (ct_elastic_options){.small_velocity = CT_ELASTIC_SMALL_VELOCITY,
                              .small_angular_velocity = CT_ELASTIC_SMALL_ANGULAR_VELOCITY,
                              .stiffness_factor = 1.0,
                              .damping_max = CT_ELASTIC_DAMPING_MAX};
}

ct_compliant_options ct_compliant_options_default(void) {
  return (ct_compliant_options){.elastic = ct_elastic_options_default()};
}

ct_resting_options ct_resting_options_default(void) {
  return (ct_resting_options){.friction = CT_RESTING_FRICTION_NONE,
                              .directions = CT_RESTING_DIRECTIONS};
}

ct_advance_options ct_advance_options_default(void) {
  return (ct_advance_options){.mode = CT_ADVANCE_STEPPING,
                              .elastic = ct_elastic_options_default(),
                              .contacts_max = CT_CONTACTS_MAX};
}

ct_lcp_options ct_lcp_options_default(void) {
  return (ct_lcp_options){.method = CT_LCP_AUTO, .tie = CT_LCP_TIE_MIN_NORM, .relaxation = 1.0};
}

ct_friction_options ct_friction_options_default(void) {
  return (ct_friction_options){.method = CT_FRICTION_AUTO,
                               .tolerance = CT_FRICTION_TOLERANCE,
                               .directions = CT_FRICTION_DIRECTIONS};
}
