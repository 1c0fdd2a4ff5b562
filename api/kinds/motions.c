/* Operations of the query kinds sweep and timeline, about moving bodies. */
#include "kinds/kinds.h"

#include <assert.h>
#include <stddef.h>

#include "execution/motion_run.h"

/* Reads the members of a query of a scene: the selection, the motions and the search options. */
static bool read_motion_query(api_reader *reader, const api_member_set *set,
                              const api_query_context *context, bool timeline, api_query *out) {
  if (!api_check_selection(reader, set) || !api_read_selected_pairs(reader, set, context, out))
    return false;
  const api_motion_fields fields = {
      .duration = api_member(set, API_MEMBER_DURATION),
      .motions = api_member(set, API_MEMBER_MOTIONS),
      .standard = api_member(set, API_MEMBER_DEFAULT_MOTION),
      .from = api_member(set, API_MEMBER_FROM),
      .to = api_member(set, API_MEMBER_TO),
      .given = {api_member(set, API_MEMBER_MOTION_A), api_member(set, API_MEMBER_MOTION_B)},
      .method = api_member(set, API_MEMBER_METHOD),
      .distance_tolerance = api_member(set, API_MEMBER_DISTANCE_TOLERANCE),
      .time_tolerance = api_member(set, API_MEMBER_TIME_TOLERANCE),
      .iterations = api_member(set, API_MEMBER_MAX_ITERATIONS),
      .earliest = api_member(set, API_MEMBER_EARLIEST),
      .changes = api_member(set, API_MEMBER_MAX_CHANGES),
      .question = set->whole};
  out->mode = API_MODE_MOTION;
  const api_motion_scope about = {timeline, out->scene, &out->options, out->evaluation.tolerance,
                                  out->velocities};
  return api_read_motions(reader, &fields, &about, &out->motions);
}

static bool read_sweep(api_reader *reader, const api_member_set *set,
                       const api_query_context *context, api_query *out) {
  return read_motion_query(reader, set, context, false, out);
}

static bool read_timeline(api_reader *reader, const api_member_set *set,
                          const api_query_context *context, api_query *out) {
  return read_motion_query(reader, set, context, true, out);
}

/* Puts the members that a timeline has beside its changes (initialContacts and others). */
static void put_timeline_lists(api_buffer *out, const api_task *task) {
  assert(task->range_count == 1);
  api_put_item(out);
  api_put_bytes(out, task->ranges[0].frames.bytes, task->ranges[0].frames.length);
}

static const api_include_word include_words[] = {
    {"grazes", offsetof(api_query, motions.options.grazes)}, {0}};

#define OF_MOTIONS                                                                                 \
  (API_MEMBER(DURATION) | API_MEMBER(DEFAULT_MOTION) | API_MEMBER(FROM) | API_MEMBER(TO) |         \
   API_MEMBER(TIME_TOLERANCE) | API_MEMBER(MAX_ITERATIONS) | API_MEMBER(TOLERANCE) |               \
   API_MEMBER(INCLUDE))
#define OF_SWEEP (OF_MOTIONS | API_MEMBER(METHOD) | API_MEMBER(DISTANCE_TOLERANCE))
#define OF_TIMELINE (OF_MOTIONS | API_MEMBER(MAX_CHANGES))
#define OF_SCENE                                                                                   \
  (API_MEMBERS_PAGE | API_MEMBER(WHERE) | API_MEMBER(PAIRS) | API_MEMBER(POSES) |                  \
   API_MEMBER(MOTIONS) | API_MEMBER(BROADPHASE))
#define OF_GIVEN                                                                                   \
  (API_MEMBERS_PAGE | API_MEMBERS_GIVEN | API_MEMBER(MOTION_A) | API_MEMBER(MOTION_B))

const api_kind_operations api_kind_sweep = {
    .number = API_KIND_SWEEP,
    .scene_members = OF_SCENE | OF_SWEEP | API_MEMBER(EARLIEST),
    .given_members = OF_GIVEN | OF_SWEEP,
    .include = include_words,
    .uses_filters = true,
    .uses_velocities = true,
    .read = read_sweep,
    .read_given = api_read_given_pair,
    .plan = api_plan_motion,
    .run = api_run_motion,
};

const api_kind_operations api_kind_timeline = {
    .number = API_KIND_TIMELINE,
    .scene_members = OF_SCENE | OF_TIMELINE,
    .given_members = OF_GIVEN | OF_TIMELINE,
    .include = include_words,
    .uses_filters = true,
    .uses_velocities = true,
    .read = read_timeline,
    .read_given = api_read_given_pair,
    .plan = api_plan_motion,
    .run = api_run_motion,
    .put_lists = put_timeline_lists,
};
