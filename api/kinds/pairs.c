/* Queries of the kinds pairs, overlap, distance, contacts, volume and features: results about pairs
 * of bodies. */
#include "kinds/kinds.h"

#include <stddef.h>

#include "execution/boxes_run.h"
#include "execution/pair_run.h"
#include "execution/variant_summary.h"
#include "execution/variants_run.h"
#include "results/features_json.h"

/* ---- reading -------------------------------------------------------------------------------- */

/* Checks members that compare a variant with the one before it. */
static bool check_variant_members(api_reader *reader, const api_member_set *set,
                                  const api_query *out) {
  const api_field *cache = api_member(set, API_MEMBER_CACHE),
                  *include = api_member(set, API_MEMBER_INCLUDE);
  bool variants = out->mode == API_MODE_VARIANTS;
  (void)api_reject_unused(reader, cache, !variants, "variants");
  if (out->changes && (!variants || out->options.explicit_pairs || out->own_scenes > 0))
    api_fault_at(reader->faults, API_PROBLEM_CONFLICTING_MEMBERS, &include->path,
                 "include \"changes\" %s.",
                 !variants             ? "requires variants"
                 : out->own_scenes > 0 ? "cannot be combined with add or filters of variants"
                                       : "cannot be combined with pairs");
  return !api_faults_any(reader->faults);
}

static bool read_summary(api_reader *reader, const api_member_set *set, api_query *out) {
  const api_summary_fields fields = {
      api_member(set, API_MEMBER_SUMMARY),  api_member(set, API_MEMBER_LIMIT),
      api_member(set, API_MEMBER_CLOSEST),  api_member(set, API_MEMBER_INCLUDE),
      api_member(set, API_MEMBER_CACHE),    api_member(set, API_MEMBER_METHOD),
      api_member(set, API_MEMBER_TRIANGLES)};
  return api_read_summary(reader, &fields, out);
}

static bool read_pair_query(api_reader *reader, const api_member_set *set,
                            const api_query_context *context, api_query *out) {
  const api_pair_operations *kind = out->kind->pair;
  if (kind->read_options && !kind->read_options(reader, set, out)) return false;
  if (!api_check_selection(reader, set)) return false;
  bool good = api_read_selected_pairs(reader, set, context, out);
  if (good && kind->warn) kind->warn(reader, out);
  return check_variant_members(reader, set, out) && good && read_summary(reader, set, out);
}

/* Reads the method of overlap and distance. */
static bool read_pair_method(api_reader *reader, const api_member_set *set, api_query *out) {
  const api_method_fields fields = {
      api_member(set, API_MEMBER_METHOD), api_member(set, API_MEMBER_MPR_TOLERANCE),
      api_member(set, API_MEMBER_MAX_ITERATIONS), api_member(set, API_MEMBER_INCLUDE),
      api_member(set, API_MEMBER_CACHE)};
  return !api_method_is_requested(&fields) || api_read_method(reader, &fields, &out->method);
}

static bool read_volume_method(api_reader *reader, const api_member_set *set, api_query *out) {
  const api_volume_fields fields = {
      api_member(set, API_MEMBER_WEIGHTING), api_member(set, API_MEMBER_METHOD),
      api_member(set, API_MEMBER_EPSILON),   api_member(set, API_MEMBER_TRIANGLES),
      api_member(set, API_MEMBER_SPARSIFY),  api_member(set, API_MEMBER_INCLUDE)};
  return api_read_volume(reader, &fields, &out->volume);
}

/* Completes the options of a volume query from its scene. */
static bool read_volume_options(api_reader *reader, const api_member_set *set, api_query *out) {
  const char *warning = NULL;
  (void)set;
  if (!api_read_present(reader, out->scene, &out->volume)) return false;
  api_resolve_volume(&out->volume, out->scene, &out->options.clearance, &warning);
  if (warning) api_warn_query(reader, &out->warnings, "%s", warning);
  return true;
}

/* Reads velocityTolerance, accepted only if velocities are reported. */
static bool read_contact_options(api_reader *reader, const api_member_set *set, api_query *out) {
  const api_field *field = api_member(set, API_MEMBER_FORCE + API_FORCE_VELOCITY_TOLERANCE);
  if (out->put_velocity)
    return api_read_velocity_tolerance(reader, field, out->scene,
                                       ct_scene_default_epsilon(out->scene),
                                       &out->force.velocity_tolerance);
  return api_reject_unused(reader, field, true, "include velocity");
}

static bool read_feature_options(api_reader *reader, const api_member_set *set, api_query *out) {
  return api_read_features(reader, api_member(set, API_MEMBER_MODE),
                           api_member(set, API_MEMBER_EDGE_DEPTH), &out->evaluation.features);
}

static void warn_about_features(api_reader *reader, api_query *out) {
  const char *warning = api_features_warning(out->scene, &out->options);
  if (warning) api_warn_query(reader, &out->warnings, "%s", warning);
}

/* ---- running -------------------------------------------------------------------------------- */

/* A method decides overlaps inside of the engine's query. */
static ct_status plan_overlaps(const api_plan *plan, api_task *task, bool shared) {
  if (task->question.method.kind != API_METHOD_AUTO)
    task->question.evaluation.overlap_test = api_overlap_by_method;
  return api_plan_pairs(plan, task, shared);
}

static void run_pair_query(api_range_run *run, size_t begin, size_t end) {
  if (run->task->question.mode == API_MODE_VARIANTS) api_run_variants(run, begin, end);
  else api_run_pairs(run, begin, end);
}

/* ---- results -------------------------------------------------------------------------------- */

/* Writes the broad phase and the statistics of a complete answer; those of a page would be
 * meaningless. */
static void put_pairs_members(api_buffer *out, const api_task *task, const api_page *page) {
  const api_query *q = &task->question;
  if (q->options.explicit_pairs) return;
  if (q->mode != API_MODE_SCENE && q->mode != API_MODE_BOXES) return;
  if (q->resumed || (page->truncated && q->mode != API_MODE_BOXES)) return;
  if (task->range_count > 0)
    api_put_member_string(out, "broadphase", api_text(api_broadphase_word(task->broadphase)));
  if (q->mode == API_MODE_BOXES) {
    if (task->range_count > 0) api_put_boxes_statistics(out, &task->ranges[0].boxes);
    return;
  }
  api_put_key(out, "statistics");
  api_put_byte(out, '{');
  api_put_member_unsigned(out, "candidates", page->statistics.candidates);
  api_put_member_unsigned(out, "boxTests", page->statistics.box_tests);
  api_put_byte(out, '}');
}

static void put_pairs_lists(api_buffer *out, const api_task *task) {
  if (task->question.mode == API_MODE_BOXES) api_put_boxes_frames(out, task);
}

/* Writes the totals and limits of the method of overlap and distance. */
static void put_method_members(api_buffer *out, const api_task *task, const api_page *page) {
  const api_query *q = &task->question;
  if (api_reuses_planes(q) && !page->truncated && !q->resumed)
    api_put_plane_counts(out, &page->planes);
  if (q->method.kind != API_METHOD_MPR) return;
  api_put_member_number(out, "mprTolerance", q->method.mpr.tolerance);
  api_put_member_unsigned(out, "maxIterations", q->method.mpr.iterations_max);
}

static void put_contact_members(api_buffer *out, const api_task *task, const api_page *page) {
  const api_query *q = &task->question;
  (void)page;
  if (q->put_velocity) api_put_member_number(out, "velocityTolerance", q->force.velocity_tolerance);
}

static void put_volume_members(api_buffer *out, const api_task *task, const api_page *page) {
  (void)page;
  api_put_volume_tolerances(out, &task->question.volume);
}

static void put_features_members(api_buffer *out, const api_task *task, const api_page *page) {
  const api_query *q = &task->question;
  if (q->mode != API_MODE_SCENE || page->truncated || q->resumed) return;
  api_put_key(out, "statistics");
  api_put_byte(out, '{');
  api_put_member_unsigned(out, "candidates", page->statistics.candidates);
  api_put_member_unsigned(out, "doubledEdges", page->statistics.doubled);
  api_put_byte(out, '}');
}

/* ---- rows ----------------------------------------------------------------------------------- */

#define OF_SCENE                                                                                   \
  (API_MEMBERS_PAGE | API_MEMBER(WHERE) | API_MEMBER(PAIRS) | API_MEMBER(POSES) |                  \
   API_MEMBER(VARIANTS) | API_MEMBER(BROADPHASE) | API_MEMBER(SUMMARY))
#define OF_METHOD                                                                                  \
  (API_MEMBER(INCLUDE) | API_MEMBER(METHOD) | API_MEMBER(MPR_TOLERANCE) |                          \
   API_MEMBER(MAX_ITERATIONS))

static const api_pair_operations pairs_operations = {
    .engine = CT_QUERY_PAIRS,
    .reuses_pair_lists = true,
    .prepare = api_prepare_pairs,
    .run_items = api_run_pairs_items,
    .put_answer = api_put_pairs_result,
};
static const api_include_word pairs_words[] = {{"changes", offsetof(api_query, changes)}, {0}};

const api_kind_operations api_kind_pairs = {
    .number = API_KIND_PAIRS,
    .scene_members = OF_SCENE | API_MEMBER(CLEARANCE) | API_MEMBER(INCLUDE),
    .given_members = API_MEMBERS_GIVEN | API_MEMBER(CLEARANCE),
    .boxes_members = API_MEMBERS_PAGE | API_MEMBER(BOXES) | API_MEMBER(BROADPHASE) |
                     API_MEMBER(FRAMES) | API_MEMBER(INCLUDE),
    .include = pairs_words,
    .uses_filters = true,
    .pair = &pairs_operations,
    .read = read_pair_query,
    .read_given = api_read_given_pair,
    .plan = api_plan_pairs,
    .run = run_pair_query,
    .put_members = put_pairs_members,
    .put_lists = put_pairs_lists,
};

/* Two given bodies are always reported; clearance only limits the gap of contact points. */
static const api_pair_operations overlap_operations = {
    .engine = CT_QUERY_OVERLAP,
    .prepare = api_prepare_overlaps,
    .run_items = api_run_overlaps_items,
    .add_method = api_add_overlap_method,
    .evaluate = api_evaluate_overlap,
    .put_answer = api_put_overlap_result,
};
static const api_include_word overlap_words[] = {
    {"supportPoints", offsetof(api_query, method.support_points)},
    {"separatingPlane", offsetof(api_query, method.separating_plane)},
    {0}};

const api_kind_operations api_kind_overlap = {
    .number = API_KIND_OVERLAP,
    .scene_members = OF_SCENE | API_MEMBER(CLEARANCE) | OF_METHOD | API_MEMBER(CACHE),
    .given_members = API_MEMBERS_GIVEN | API_MEMBER(CLEARANCE) | OF_METHOD,
    .include = overlap_words,
    .uses_filters = true,
    .pair = &overlap_operations,
    .read_method = read_pair_method,
    .read = read_pair_query,
    .read_given = api_read_given_pair,
    .plan = plan_overlaps,
    .run = run_pair_query,
    .put_members = put_method_members,
};

static const api_pair_operations distance_operations = {
    .engine = CT_QUERY_DISTANCE,
    .measures = true,
    .uses_poses = true,
    .prepare = api_prepare_distances,
    .run_items = api_run_distances_items,
    .add_method = api_add_distance_method,
    .evaluate = api_evaluate_distance,
    .put_answer = api_put_distance_result,
};
static const api_include_word distance_words[] = {
    {"gradient", offsetof(api_query, gradient)},
    {"supportPoints", offsetof(api_query, method.support_points)},
    {"separatingPlane", offsetof(api_query, method.separating_plane)},
    {0}};

const api_kind_operations api_kind_distance = {
    .number = API_KIND_DISTANCE,
    .scene_members = OF_SCENE | API_MEMBER(CLEARANCE) | API_MEMBER(TOLERANCE) | OF_METHOD |
                     API_MEMBER(CACHE) | API_MEMBER(CLOSEST),
    .given_members = API_MEMBERS_GIVEN | API_MEMBER(TOLERANCE) | API_MEMBER(CLEARANCE) | OF_METHOD,
    .include = distance_words,
    .uses_filters = true,
    .pair = &distance_operations,
    .read_method = read_pair_method,
    .read = read_pair_query,
    .read_given = api_read_given_pair,
    .plan = api_plan_pairs,
    .run = run_pair_query,
    .put_members = put_method_members,
};

static const api_pair_operations contacts_operations = {
    .engine = CT_QUERY_CONTACTS,
    .in_parts = true,
    .uses_poses = true,
    .read_options = read_contact_options,
    .prepare = api_prepare_contacts,
    .run_items = api_run_contacts_items,
    .put_answer = api_put_contacts_result,
};
static const api_include_word contacts_words[] = {{"velocity", offsetof(api_query, put_velocity)},
                                                  {0}};

const api_kind_operations api_kind_contacts = {
    .number = API_KIND_CONTACTS,
    .scene_members = OF_SCENE | API_MEMBER(CLEARANCE) | API_MEMBER(TOLERANCE) | API_MEMBER(DETAIL) |
                     API_MEMBER(INCLUDE),
    .given_members = API_MEMBERS_GIVEN | API_MEMBER(TOLERANCE) | API_MEMBER(CLEARANCE) |
                     API_MEMBER(DETAIL) | API_MEMBER(INCLUDE),
    .force_members = API_FORCE_MEMBER(VELOCITY_TOLERANCE),
    .include = contacts_words,
    .uses_filters = true,
    .pair = &contacts_operations,
    .read = read_pair_query,
    .read_given = api_read_given_pair,
    .plan = api_plan_pairs,
    .run = run_pair_query,
    .put_members = put_contact_members,
};

#define OF_VOLUME                                                                                  \
  (API_MEMBER(INCLUDE) | API_MEMBER(METHOD) | API_MEMBER(WEIGHTING) | API_MEMBER(EPSILON) |        \
   API_MEMBER(TRIANGLES) | API_MEMBER(SPARSIFY))

static const api_pair_operations volume_operations = {
    .engine = CT_QUERY_VOLUME,
    .in_parts = true,
    .read_options = read_volume_options,
    .prepare = api_prepare_volumes,
    .run_items = api_run_volumes_items,
};
static const api_include_word volume_words[] = {
    {"stages", offsetof(api_query, volume.options.stages)}, {0}};

const api_kind_operations api_kind_volume = {
    .number = API_KIND_VOLUME,
    .scene_members = OF_SCENE | OF_VOLUME,
    .given_members = API_MEMBERS_GIVEN | OF_VOLUME,
    .include = volume_words,
    .uses_filters = true,
    .pair = &volume_operations,
    .read_method = read_volume_method,
    .read = read_pair_query,
    .read_given = api_read_given_pair,
    .plan = api_plan_pairs,
    .run = run_pair_query,
    .put_members = put_volume_members,
};

#define OF_FEATURES (API_MEMBER(MODE) | API_MEMBER(EDGE_DEPTH))

static const api_pair_operations features_operations = {
    .engine = CT_QUERY_FEATURES,
    .in_parts = true,
    .read_details = read_feature_options,
    .warn = warn_about_features,
    .check_body = api_features_given,
    .prepare = api_prepare_features,
    .run_items = api_run_features_items,
    .put_answer = api_put_features_result,
};

const api_kind_operations api_kind_features = {
    .number = API_KIND_FEATURES,
    .scene_members = OF_SCENE | OF_FEATURES,
    .given_members = API_MEMBERS_PAGE | API_MEMBERS_GIVEN | OF_FEATURES,
    .uses_filters = true,
    .pair = &features_operations,
    .read = read_pair_query,
    .read_given = api_read_given_pair,
    .plan = api_plan_pairs,
    .run = run_pair_query,
    .put_members = put_features_members,
};
