/* Reads queries. Kind and target (a scene of the daemon, an inline scene, two bodies, or raw boxes)
 * determine the accepted members. */
#include "queries/query_request.h"

#include "common/warning.h"
#include "documents/scene_json.h"
#include "execution/variant_summary.h"
#include "queries/body_selection.h"
#include "queries/boxes_request.h"
#include "queries/continued_query.h"
#include "queries/query_members.h"
#include "queries/query_warning.h"
#include "queries/variant_scene.h"
#include "results/contact_state_json.h"
#include "results/features_json.h"
#include "results/result_json.h"

/* ---- members -------------------------------------------------------------------------------- */

#define MEMBER_MAP(X)                                                                              \
  X(WHERE, "where")                                                                                \
  X(PAIRS, "pairs")                                                                                \
  X(POSES, "poses")                                                                                \
  X(VARIANTS, "variants")                                                                          \
  X(CLEARANCE, "clearance")                                                                        \
  X(TOLERANCE, "tolerance")                                                                        \
  X(DETAIL, "detail")                                                                              \
  X(BROADPHASE, "broadphase")                                                                      \
  X(BODIES, "bodies")                                                                              \
  X(ADD, "add")                                                                                    \
  X(SUMMARY, "summary")                                                                            \
  X(FILTERS, "filters")                                                                            \
  X(LIMIT, "limit")                                                                                \
  X(TOTAL, "total")                                                                                \
  X(CLOSEST, "closest")                                                                            \
  X(CURSOR, "cursor")                                                                              \
  X(DEADLINE, "deadlineMs")                                                                        \
  X(A, "a")                                                                                        \
  X(B, "b")                                                                                        \
  X(SCENE, "scene")                                                                                \
  X(INCLUDE, "include")                                                                            \
  X(METHOD, "method")                                                                              \
  X(MPR_TOLERANCE, "mprTolerance")                                                                 \
  X(CACHE, "cache")                                                                                \
  X(MAX_ITERATIONS, "maxIterations")                                                               \
  X(WEIGHTING, "normalWeighting")                                                                  \
  X(EPSILON, "epsilon")                                                                            \
  X(TRIANGLES, "triangles")                                                                        \
  X(SPARSIFY, "sparsify")                                                                          \
  X(RAYS, "rays")                                                                                  \
  X(HITS, "hits")                                                                                  \
  X(POINTS, "points")                                                                              \
  X(NEAREST, "k")                                                                                  \
  X(MAX_DISTANCE, "maxDistance")                                                                   \
  X(REGION, "region")                                                                              \
  X(MODE, "mode")                                                                                  \
  X(EDGE_DEPTH, "edgeDepth")                                                                       \
  X(DURATION, "duration")                                                                          \
  X(MOTIONS, "motions")                                                                            \
  X(DEFAULT_MOTION, "defaultMotion")                                                               \
  X(MOTION_A, "motionA")                                                                           \
  X(MOTION_B, "motionB")                                                                           \
  X(FROM, "from")                                                                                  \
  X(TO, "to")                                                                                      \
  X(DISTANCE_TOLERANCE, "distanceTolerance")                                                       \
  X(TIME_TOLERANCE, "timeTolerance")                                                               \
  X(EARLIEST, "earliest")                                                                          \
  X(MAX_CHANGES, "maxChanges")                                                                     \
  X(CONTACT_STATE, "contactState")                                                                 \
  X(EVALUATION, "evaluation")                                                                      \
  X(BOXES, "boxes")                                                                                \
  X(FRAMES, "frames")                                                                              \
  X(ID, "id")                                                                                      \
  X(KIND, "kind")

enum {
#define MEMBER_ENUM(name, word) M_##name,
  MEMBER_MAP(MEMBER_ENUM)
#undef MEMBER_ENUM
      M_COUNT
};

_Static_assert(M_COUNT <= 64, "one bit for each");

/* Any list of member names fits a detail. */
#define MEMBER_LISTED(name, word) ", " word
_Static_assert(sizeof("" MEMBER_MAP(MEMBER_LISTED)) <= API_NAMES_MAX, "the names of all members");

/* Numbers of the members of force queries follow; their kind determines which are accepted. */
enum { M_FORCE = M_COUNT, M_ALL = M_FORCE + API_FORCE_MEMBER_COUNT };

#define BIT(name) (UINT64_C(1) << M_##name)
/* Members of every scene query. */
#define OF_ALL (BIT(LIMIT) | BIT(CURSOR) | BIT(TOTAL))
#define OF_METHOD (BIT(INCLUDE) | BIT(METHOD) | BIT(MPR_TOLERANCE) | BIT(MAX_ITERATIONS))
#define OF_VOLUME                                                                                  \
  (BIT(INCLUDE) | BIT(METHOD) | BIT(WEIGHTING) | BIT(EPSILON) | BIT(TRIANGLES) | BIT(SPARSIFY))
#define OF_PAIRS                                                                                   \
  (OF_ALL | BIT(WHERE) | BIT(PAIRS) | BIT(POSES) | BIT(VARIANTS) | BIT(BROADPHASE) | BIT(SUMMARY))

#define OF_RAYCAST (BIT(RAYS) | BIT(HITS))
#define OF_NEAREST (BIT(POINTS) | BIT(NEAREST) | BIT(MAX_DISTANCE))
#define OF_POINT BIT(POINTS)
#define OF_REGION (BIT(REGION) | BIT(MODE))
#define OF_FEATURES (BIT(MODE) | BIT(EDGE_DEPTH))
#define OF_MOTIONS                                                                                 \
  (BIT(DURATION) | BIT(DEFAULT_MOTION) | BIT(FROM) | BIT(TO) | BIT(TIME_TOLERANCE) |               \
   BIT(MAX_ITERATIONS) | BIT(TOLERANCE))
#define OF_SWEEP (OF_MOTIONS | BIT(METHOD) | BIT(DISTANCE_TOLERANCE) | BIT(INCLUDE))
#define OF_TIMELINE (OF_MOTIONS | BIT(MAX_CHANGES) | BIT(INCLUDE))
#define OF_MOVED (OF_ALL | BIT(WHERE) | BIT(PAIRS) | BIT(POSES) | BIT(MOTIONS) | BIT(BROADPHASE))
#define OF_CROSSINGS                                                                               \
  (BIT(CONTACT_STATE) | BIT(EVALUATION) | BIT(POSES) | BIT(VARIANTS) | BIT(INCLUDE))
#define OF_FORCES (OF_ALL | BIT(WHERE) | BIT(PAIRS) | BIT(POSES) | BIT(DETAIL) | BIT(BROADPHASE))
#define OF_GIVEN (OF_ALL | BIT(A) | BIT(B))
#define OF_PROBES (OF_ALL | BIT(WHERE) | BIT(POSES) | BIT(BROADPHASE))

static const uint64_t scene_members[API_KIND_COUNT] = {
    [API_KIND_PAIRS] = OF_PAIRS | BIT(CLEARANCE) | BIT(INCLUDE),
    [API_KIND_OVERLAP] = OF_PAIRS | BIT(CLEARANCE) | OF_METHOD | BIT(CACHE),
    [API_KIND_DISTANCE] =
        OF_PAIRS | BIT(CLEARANCE) | BIT(TOLERANCE) | OF_METHOD | BIT(CACHE) | BIT(CLOSEST),
    [API_KIND_CONTACTS] = OF_PAIRS | BIT(CLEARANCE) | BIT(TOLERANCE) | BIT(DETAIL) | BIT(INCLUDE),
    [API_KIND_VOLUME] = OF_PAIRS | OF_VOLUME,
    [API_KIND_FEATURES] = OF_PAIRS | OF_FEATURES,
    [API_KIND_SWEEP] = OF_MOVED | OF_SWEEP | BIT(EARLIEST),
    [API_KIND_TIMELINE] = OF_MOVED | OF_TIMELINE,
    [API_KIND_RAYCAST] = OF_PROBES | OF_RAYCAST,
    [API_KIND_NEAREST] = OF_PROBES | OF_NEAREST,
    [API_KIND_POINT] = OF_PROBES | OF_POINT,
    [API_KIND_REGION] = OF_PROBES | OF_REGION,
    [API_KIND_MASS_PROPERTIES] = OF_ALL | BIT(BODIES) | BIT(INCLUDE),
    [API_KIND_ZERO_CROSSINGS] = OF_ALL | OF_CROSSINGS,
    [API_KIND_IMPULSE] = OF_FORCES,
    [API_KIND_RESTING_FORCES] = OF_FORCES | BIT(METHOD) | BIT(INCLUDE),
    [API_KIND_COMPLIANT_FORCES] = (OF_FORCES & ~BIT(DETAIL)) | BIT(CONTACT_STATE),
};
/* Two given bodies are always reported; clearance only limits the gap of contact points. */
static const uint64_t given_members[API_KIND_COUNT] = {
    [API_KIND_PAIRS] = BIT(A) | BIT(B) | BIT(CLEARANCE),
    [API_KIND_OVERLAP] = BIT(A) | BIT(B) | BIT(CLEARANCE) | OF_METHOD,
    [API_KIND_DISTANCE] = BIT(A) | BIT(B) | BIT(TOLERANCE) | BIT(CLEARANCE) | OF_METHOD,
    [API_KIND_CONTACTS] =
        BIT(A) | BIT(B) | BIT(TOLERANCE) | BIT(CLEARANCE) | BIT(DETAIL) | BIT(INCLUDE),
    [API_KIND_VOLUME] = BIT(A) | BIT(B) | OF_VOLUME,
    [API_KIND_FEATURES] = OF_GIVEN | OF_FEATURES,
    [API_KIND_SWEEP] = OF_GIVEN | BIT(MOTION_A) | BIT(MOTION_B) | OF_SWEEP,
    [API_KIND_TIMELINE] = OF_GIVEN | BIT(MOTION_A) | BIT(MOTION_B) | OF_TIMELINE,
    [API_KIND_RAYCAST] = OF_GIVEN | OF_RAYCAST,
    [API_KIND_NEAREST] = OF_GIVEN | OF_NEAREST,
    [API_KIND_POINT] = OF_GIVEN | OF_POINT,
    [API_KIND_REGION] = OF_GIVEN | OF_REGION,
    [API_KIND_MASS_PROPERTIES] = BIT(A) | BIT(B) | BIT(INCLUDE),
    [API_KIND_IMPULSE] = OF_GIVEN | BIT(DETAIL),
    [API_KIND_RESTING_FORCES] = OF_GIVEN | BIT(DETAIL) | BIT(METHOD) | BIT(INCLUDE),
    [API_KIND_COMPLIANT_FORCES] = OF_GIVEN,
};
#define BOXES_MEMBERS (OF_ALL | BIT(BOXES) | BIT(BROADPHASE) | BIT(FRAMES) | BIT(INCLUDE))

static const char *const member_names[M_COUNT] = {
#define MEMBER_NAME(name, word) [M_##name] = word,
    MEMBER_MAP(MEMBER_NAME)
#undef MEMBER_NAME
};

/* The members of a request, accepted by the query's kind and target. */
typedef struct member_set {
  const api_pointer *whole; /* location of the query */
  api_field list[M_ALL + 1];
  size_t count;
  uint8_t place[M_ALL]; /* index into list; its end if not accepted */
} member_set;

static bool is_member_allowed(int m, uint64_t allowed, uint32_t of_forces) {
  return m < M_FORCE ? allowed >> m & 1 : of_forces >> (m - M_FORCE) & 1;
}

static bool read_members(api_reader *reader, const api_field *field, uint64_t allowed,
                         uint32_t of_forces, member_set *set) {
  set->whole = &field->path;
  set->count = 0;
  for (int m = 0; m < M_ALL; m++) {
    if (!is_member_allowed(m, allowed, of_forces)) continue;
    set->place[m] = (uint8_t)set->count;
    set->list[set->count++] =
        (api_field){.name = m < M_FORCE ? member_names[m] : api_force_member_word(m - M_FORCE)};
  }
  set->list[set->count] = (api_field){0};
  for (int m = 0; m < M_ALL; m++)
    if (!is_member_allowed(m, allowed, of_forces)) set->place[m] = (uint8_t)set->count;
  return api_read_object(reader, field, set->list, set->count);
}

static const api_field *member(const member_set *set, int which) {
  return &set->list[set->place[which]];
}

/* Refuses members of other targets: a stateless query is about two bodies, or a scene, or boxes. */
static bool refuse_others(api_reader *reader, const member_set *set, uint64_t meant,
                          const char *with) {
  bool good = true;
  for (int m = 0; m < M_COUNT; m++) {
    good =
        api_reject_combination(reader, member(set, m), !(meant & (UINT64_C(1) << m)), with) && good;
  }
  return good;
}

/* ---- common members ------------------------------------------------------------------------- */

static bool read_broadphase(api_reader *reader, const api_field *field, api_query *out) {
  static const char *const words[] = {"auto",   "tree", "sweep",     "sweepSingleAxis",
                                      "hybrid", "grid", "bruteForce"};
  static const ct_broadphase values[] = {CT_BROADPHASE_AUTO,       CT_BROADPHASE_TREE,
                                         CT_BROADPHASE_SWEEP,      CT_BROADPHASE_SWEEP_SINGLE_AXIS,
                                         CT_BROADPHASE_HYBRID,     CT_BROADPHASE_GRID,
                                         CT_BROADPHASE_BRUTE_FORCE};
  size_t which = 0;
  if (!api_read_word(reader, field, words, sizeof words / sizeof words[0], &which)) return false;
  out->options.broadphase = values[which];
  return true;
}

/* One row per word of `include`: the flag that it sets, and the kinds that accept it. */
typedef struct include_word {
  const char *word;
  bool *asked;
  unsigned kinds;
} include_word;

#define OF_KIND(name) (1u << API_KIND_##name)
#define INCLUDES_MAX 11

static bool read_include_words(api_reader *reader, const api_field *field, api_query *out) {
  const include_word all[] = {
      {"gradient", &out->gradient, OF_KIND(DISTANCE)},
      {"supportPoints", &out->method.support_points, OF_KIND(DISTANCE) | OF_KIND(OVERLAP)},
      {"separatingPlane", &out->method.separating_plane, OF_KIND(DISTANCE) | OF_KIND(OVERLAP)},
      {"changes", &out->changes, OF_KIND(PAIRS)},
      {"contacts", &out->crossings.contacts, OF_KIND(ZERO_CROSSINGS)},
      {"velocity", &out->put_velocity, OF_KIND(CONTACTS)},
      {"stages", &out->volume.options.stages, OF_KIND(VOLUME)},
      {"hulls", &out->put_hulls, OF_KIND(MASS_PROPERTIES)},
      {"grazes", &out->motions.options.grazes, OF_KIND(SWEEP) | OF_KIND(TIMELINE)},
      {"A", &out->force.put_matrix, OF_KIND(RESTING_FORCES)},
      {"b", &out->force.put_vector, OF_KIND(RESTING_FORCES)}};
  const char *words[INCLUDES_MAX];
  bool *asked[INCLUDES_MAX];
  size_t known = 0, count, which = 0;
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
    if (!(all[i].kinds & 1u << out->kind)) continue;
    words[known] = all[i].word;
    asked[known++] = all[i].asked;
  }
  if (!api_field_present(field)) return true;
  if (!api_read_array(reader, field, 0, known, &count)) return false;
  for (size_t i = 0; i < count; i++) {
    api_field element = api_field_element(field, i);
    if (!api_read_word(reader, &element, words, known, &which)) return false;
    *asked[which] = true;
  }
  return true;
}

static bool read_detail(api_reader *reader, const api_field *field, api_query *out) {
  static const char *const words[] = {"deepest", "manifold", "full"};
  static const ct_detail values[] = {CT_DETAIL_DEEPEST, CT_DETAIL_MANIFOLD, CT_DETAIL_FULL};
  /* Force queries do not accept "deepest": a single point cannot balance a body. */
  size_t first = api_kind_is_force(out->kind) ? 1 : 0, which = 1 - first;
  if (!api_read_word(reader, field, words + first, 3 - first, &which)) return false;
  out->options.detail = values[first + which];
  return true;
}

/* Refuses a foreign cursor. Without other members, its query may no longer be stored. */
static void refuse_cursor(api_reader *reader, const api_field *field, ct_text text,
                          const api_query_context *context, const json_t *request) {
  bool alone = api_is_cursor_alone(request) && api_cursor_has_form(text.bytes, text.length);
  bool of_another = context->call->continued != NULL; /* kind */
  if (alone && context->scene && !context->in_batch && !of_another)
    api_fault_plain(reader->faults, API_PROBLEM_REVISION_GONE,
                    "No query that this cursor continues is kept here: send the query again, with "
                    "the cursor or from its start.");
  else
    api_fault_at(reader->faults, API_PROBLEM_BAD_CURSOR, &field->path,
                 "The cursor is not of this request.%s",
                 context->in_batch ? " In a batch the query is sent again with its cursor."
                 : context->scene
                     ? ""
                     : " Without a scene no query is kept: it is sent again with its cursor.");
}

/* Reads the start of the page; a cursor may refer to an older revision. */
static bool read_cursor(api_reader *reader, const api_field *field,
                        const api_query_context *context, api_query *out) {
  ct_text text;
  if (!api_field_present(field)) return true;
  if (!api_read_text(reader, field, API_URL_VALUE_MAX, &text)) return false;
  uint64_t hash;
  if (!api_query_hash(out, &hash)) {
    api_fault_memory(reader->faults);
    return false;
  }
  if (!api_cursor_read(text.bytes, text.length, hash, &out->from)) {
    refuse_cursor(reader, field, text, context, out->object);
    return false;
  }
  out->resumed = true;
  if (!context->scene) return true;
  out->scene = out->revision =
      api_call_find_revision(context->call, out->from.revision, reader->faults);
  return out->scene != NULL;
}

/* Checks that the broadphase supports `closest`: tree or brute force. */
static bool check_nearest(api_reader *reader, const member_set *set, const api_query *out) {
  ct_broadphase b = out->options.broadphase;
  if (!out->options.nearest || b == CT_BROADPHASE_AUTO || b == CT_BROADPHASE_TREE ||
      b == CT_BROADPHASE_BRUTE_FORCE)
    return true;
  api_fault_at(
      reader->faults, API_PROBLEM_CONFLICTING_MEMBERS, &member(set, M_BROADPHASE)->path,
      "broadphase \"%s\" cannot be combined with closest, which auto, tree and bruteForce find.",
      api_broadphase_word(b));
  return false;
}

static bool read_common_members(api_reader *reader, const member_set *set,
                                const api_query_context *context, api_query *out) {
  bool good =
      api_read_unsigned(reader, member(set, M_LIMIT), 1, reader->limits->page_max, &out->limit);
  good = api_read_number(reader, member(set, M_CLEARANCE), 0.0, CT_SIZE_MAX,
                         &out->options.clearance) &&
         good;
  good = api_read_number(reader, member(set, M_TOLERANCE), 0.0, CT_SIZE_MAX,
                         &out->options.tolerance) &&
         good;
  bool counts_total = true;
  good = api_read_bool(reader, member(set, M_TOTAL), &counts_total) && good;
  out->without_total = !counts_total;
  good = api_read_bool(reader, member(set, M_CLOSEST), &out->options.nearest) && good;
  good = read_broadphase(reader, member(set, M_BROADPHASE), out) && good;
  if (good) good = check_nearest(reader, set, out);
  good = read_include_words(reader, member(set, M_INCLUDE), out) && good;
  const api_method_fields method = {member(set, M_METHOD), member(set, M_MPR_TOLERANCE),
                                    member(set, M_MAX_ITERATIONS), member(set, M_INCLUDE),
                                    member(set, M_CACHE)};
  const api_volume_fields volume = {member(set, M_WEIGHTING), member(set, M_METHOD),
                                    member(set, M_EPSILON),   member(set, M_TRIANGLES),
                                    member(set, M_SPARSIFY),  member(set, M_INCLUDE)};
  if (out->kind == API_KIND_VOLUME) good = api_read_volume(reader, &volume, &out->volume) && good;
  else if (!api_kind_is_motion(out->kind) && !api_kind_is_force(out->kind))
    good = api_read_method(reader, &method, &out->method) && good;
  good = read_detail(reader, member(set, M_DETAIL), out) && good;
  uint64_t deadline = 0;
  good = api_read_unsigned(reader, member(set, M_DEADLINE), 1, reader->limits->deadline_max_ms,
                           &deadline) &&
         good;
  if (good && deadline > 0 && context->deadline_ms) *context->deadline_ms = deadline;
  return good;
}

/* ---- targets and kinds ---------------------------------------------------------------------- */

/* Selects every body with a collider of finite volume. */
static bool select_rows_with_mass(api_reader *reader, api_query *out) {
  uint32_t *rows = api_arena_array(reader->arena, ct_scene_count(out->scene), sizeof *rows);
  if (!rows) {
    api_fault_memory(reader->faults);
    return false;
  }
  for (uint32_t row = 0; row < ct_scene_rows(out->scene); row++) {
    const ct_body *body = ct_scene_body(out->scene, row);
    bool any = false;
    for (size_t c = 0; body && c < ct_body_collider_count(body) && !any; c++)
      any = ct_body_collider(body, c).shape.kind != CT_KIND_PLANE;
    if (any) rows[out->row_count++] = row;
  }
  out->rows = rows;
  return true;
}

/* Reads a probe: rays, points or a region, the selection, and hypothetical poses. */
static bool read_probe_query(api_reader *reader, const member_set *set,
                             const api_query_context *context, api_query *out) {
  const api_field *where = member(set, M_WHERE), *region = member(set, M_REGION);
  api_probe_fields fields = {.rays = member(set, M_RAYS),
                             .hits = member(set, M_HITS),
                             .points = member(set, M_POINTS),
                             .nearest = member(set, M_NEAREST),
                             .max_distance = member(set, M_MAX_DISTANCE),
                             .region = region,
                             .mode = member(set, M_MODE)};
  ct_probe_options *probe = &out->probe;
  out->mode = API_MODE_PROBE;
  bool good = api_read_probe(reader, out->kind, &fields, probe);
  if (api_field_present(region)) {
    out->has_region = api_read_region(reader, region, &out->region);
    good = out->has_region && good;
    probe->region = out->region.shape;
    probe->region_pose = out->region.pose;
  }
  if (api_field_present(where))
    good = api_read_selection(reader, where, out->scene, out, &probe->where) && good;
  good = api_read_what_if(reader, member(set, M_POSES), context, out) && good;
  probe->overrides = out->options.overrides;
  probe->override_count = out->options.override_count;
  probe->broadphase = out->options.broadphase;
  probe->cancel = reader->cancel;
  return good;
}

/* Reads the motions and the search options; the selection is read before. */
static bool read_motion_query(api_reader *reader, const member_set *set, api_query *out) {
  const api_motion_fields fields = {.duration = member(set, M_DURATION),
                                    .motions = member(set, M_MOTIONS),
                                    .standard = member(set, M_DEFAULT_MOTION),
                                    .from = member(set, M_FROM),
                                    .to = member(set, M_TO),
                                    .given = {member(set, M_MOTION_A), member(set, M_MOTION_B)},
                                    .method = member(set, M_METHOD),
                                    .distance_tolerance = member(set, M_DISTANCE_TOLERANCE),
                                    .time_tolerance = member(set, M_TIME_TOLERANCE),
                                    .iterations = member(set, M_MAX_ITERATIONS),
                                    .earliest = member(set, M_EARLIEST),
                                    .changes = member(set, M_MAX_CHANGES),
                                    .question = set->whole};
  out->mode = API_MODE_MOTION;
  const api_motion_scope about = {out->kind, out->scene, &out->options, out->velocities};
  return api_read_motions(reader, &fields, &about, &out->motions);
}

/* Completes the options of a volume query from its scene. */
static void complete_volume_options(api_reader *reader, api_query *out) {
  const char *warning = NULL;
  api_resolve_volume(&out->volume, out->scene, &out->options, &warning);
  if (warning) api_warn_query(reader, out, "%s", warning);
}

static void warn_about_features(api_reader *reader, api_query *out) {
  const char *warning = api_features_warning(out->scene, &out->options);
  if (warning) api_warn_query(reader, out, "%s", warning);
}

/* Checks members that compare a variant with the one before it. */
static bool check_variant_members(api_reader *reader, const member_set *set, const api_query *out) {
  const api_field *cache = member(set, M_CACHE), *include = member(set, M_INCLUDE);
  bool variants = out->mode == API_MODE_VARIANTS;
  (void)api_reject_unused(reader, cache, !variants, "variants");
  if (out->changes && (!variants || out->options.explicit_pairs || out->own_scenes > 0))
    api_fault_at(reader->faults, API_PROBLEM_CONFLICTING_MEMBERS, &include->path,
                 "include \"changes\" %s.",
                 !variants             ? "requires variants"
                 : out->own_scenes > 0 ? "cannot be combined with add and filters of variants"
                                       : "cannot be combined with pairs");
  return !api_faults_any(reader->faults);
}

static bool read_summary(api_reader *reader, const member_set *set, api_query *out) {
  const api_summary_fields fields = {member(set, M_SUMMARY),  member(set, M_LIMIT),
                                     member(set, M_CLOSEST),  member(set, M_INCLUDE),
                                     member(set, M_CACHE),    member(set, M_METHOD),
                                     member(set, M_TRIANGLES)};
  return api_read_summary(reader, &fields, out);
}

/* Reads a contact state and the poses of its evaluation. */
static bool read_crossings(api_reader *reader, const member_set *set,
                           const api_query_context *context, api_query *out) {
  const api_crossings_fields fields = {member(set, M_CONTACT_STATE), member(set, M_EVALUATION)};
  out->mode = API_MODE_STATE;
  out->options.kind = CT_QUERY_DISTANCE; /* for the cost estimate */
  bool good = api_read_crossings(reader, &fields, out->scene, &out->crossings);
  good = api_read_what_if(reader, member(set, M_POSES), context, out) && good;
  const api_variant_fields variants = {member(set, M_VARIANTS), member(set, M_WHERE),
                                       member(set, M_PAIRS)};
  good = api_read_variants(reader, &variants, out) && good;
  if (good && !api_scene_has_motion(out->scene)) api_warn_query(reader, out, API_NO_MOTION_TEXT);
  return good;
}

/* Reads velocityTolerance, accepted only if velocities are reported. */
static bool read_velocity(api_reader *reader, const api_field *field, api_query *out) {
  if (out->put_velocity)
    return api_read_velocity_tolerance(reader, field, out->scene,
                                       ct_scene_default_epsilon(out->scene),
                                       &out->force.velocity_tolerance);
  return api_reject_unused(reader, field, true, "include velocity");
}

/* Checks that all inertias are invertible. BAD_MASS, at a body of the request if possible. */
static bool check_inertias(api_reader *reader, const member_set *set, const api_query *out) {
  uint32_t row = api_find_singular(out->scene);
  if (row == CT_NO_ROW) return true;
  char echo[API_ECHO_MAX + 4];
  bool of_scene = api_field_present(member(set, M_SCENE)), given = out->body_count > 0;
  const api_field *side = member(set, of_scene ? M_SCENE : row ? M_B : M_A);
  api_pointer bodies = api_pointer_member(&side->path, "bodies"),
              body = api_pointer_index(&bodies, row);
  api_fault_at(reader->faults, API_PROBLEM_BAD_MASS,
               of_scene ? &body
               : given  ? &side->path
                        : set->whole,
               "The inertia of body \"%s\" cannot be inverted.",
               api_echo(ct_body_id(ct_scene_body(out->scene, row)), echo));
  return false;
}

/* Reads a force query; the selection is read before. */
static bool read_force_query(api_reader *reader, const member_set *set, api_query *out) {
  api_force_fields fields = {.method = member(set, M_METHOD),
                             .state = member(set, M_CONTACT_STATE),
                             .question = set->whole};
  for (int m = 0; m < API_FORCE_MEMBER_COUNT; m++) fields.own[m] = member(set, M_FORCE + m);
  const api_field *pairs = member(set, M_PAIRS), *where = member(set, M_WHERE);
  if (!api_reject_combination(reader, pairs, api_field_present(fields.own[API_FORCE_CONTACTS]),
                              "contacts"))
    return false;
  /* A body without contacts is included only if a given side selects it. */
  if (!json_object_get(where->value, "a")) out->options.where_a = NULL;
  if (!json_object_get(where->value, "b")) out->options.where_b = NULL;
  ct_row_velocity *velocities = NULL;
  size_t count = 0;
  if (!api_merge_velocities(reader, out, &velocities, &count)) return false;
  const api_force_scope about = {out->kind, out->scene, &out->options, velocities, count};
  out->mode = API_MODE_FORCE;
  const api_field *volumetric = fields.own[API_FORCE_VOLUMETRIC];
  bool is_volumetric = volumetric && api_field_present(volumetric);
  if (!api_reject_combination(reader, member(set, M_DETAIL), is_volumetric, "volumetric"))
    return false;
  if (!api_read_force(reader, &fields, &about, &out->force)) return false;
  if (out->force.warning) api_warn_query(reader, out, "%s", out->force.warning);
  return check_inertias(reader, set, out);
}

/* Reads a query of a scene, whose revision is known. */
static bool read_scene_query(api_reader *reader, const member_set *set,
                             const api_query_context *context, api_query *out) {
  if (!read_cursor(reader, member(set, M_CURSOR), context, out)) return false;
  const api_hypothesis_fields supposed = {member(set, M_ADD), member(set, M_FILTERS), set->whole};
  if (context->scene && !api_apply_query_hypotheses(reader, &supposed, context, out)) return false;
  if (out->kind == API_KIND_MASS_PROPERTIES) {
    out->mode = API_MODE_MASS;
    if (!api_field_present(member(set, M_BODIES))) return select_rows_with_mass(reader, out);
    out->rows = api_read_rows(reader, member(set, M_BODIES), out->scene, &out->row_count);
    return out->rows != NULL;
  }
  if (api_kind_is_probe(out->kind)) return read_probe_query(reader, set, context, out);
  if (out->kind == API_KIND_ZERO_CROSSINGS) return read_crossings(reader, set, context, out);
  static const ct_query_kind kinds[API_KIND_COUNT] = {
      [API_KIND_PAIRS] = CT_QUERY_PAIRS,       [API_KIND_OVERLAP] = CT_QUERY_OVERLAP,
      [API_KIND_DISTANCE] = CT_QUERY_DISTANCE, [API_KIND_CONTACTS] = CT_QUERY_CONTACTS,
      [API_KIND_VOLUME] = CT_QUERY_VOLUME,     [API_KIND_FEATURES] = CT_QUERY_FEATURES};
  out->options.kind = kinds[out->kind];
  if (out->kind == API_KIND_VOLUME && !api_read_present(reader, out->scene, &out->volume))
    return false;
  if (out->kind == API_KIND_VOLUME) complete_volume_options(reader, out);
  if (out->kind == API_KIND_CONTACTS &&
      !read_velocity(reader, member(set, M_FORCE + API_FORCE_VELOCITY_TOLERANCE), out))
    return false;
  const api_field *where = member(set, M_WHERE);
  if (!api_reject_combination(reader, where, api_field_present(member(set, M_PAIRS)), "pairs"))
    return false;
  const api_variant_fields variants = {member(set, M_VARIANTS), where, member(set, M_PAIRS)};
  bool good = api_read_variants(reader, &variants, out);
  if (out->kind == API_KIND_FEATURES)
    good = api_read_features(reader, member(set, M_MODE), member(set, M_EDGE_DEPTH),
                             &out->options.features) &&
           good;
  good = api_read_what_if(reader, member(set, M_POSES), context, out) && good;
  if (api_kind_is_motion(out->kind)) return good && read_motion_query(reader, set, out);
  if (api_kind_is_force(out->kind)) return good && read_force_query(reader, set, out);
  if (good && out->kind == API_KIND_FEATURES) warn_about_features(reader, out);
  return check_variant_members(reader, set, out) && good && read_summary(reader, set, out);
}

/* Makes a scene of the given bodies. */
static bool make_pair_scene(api_reader *reader, api_query *out) {
  const ct_scene *empty = ct_scene_create(0);
  ct_draft *draft = empty ? ct_draft_begin(empty) : NULL;
  if (empty) ct_scene_release(empty);
  bool good = draft != NULL;
  for (size_t i = 0; i < out->body_count && good; i++) {
    uint32_t row;
    good = ct_draft_insert(draft, out->bodies[i].body, &out->bodies[i].pose,
                           &out->bodies[i].velocity, &row) == CT_OK;
  }
  if (good) out->scene = ct_draft_seal(draft);
  out->owns_scene = out->scene != NULL;
  if (out->scene) return true;
  if (draft) ct_draft_discard(draft);
  api_fault_memory(reader->faults);
  return false;
}

/* Reads a query of two given bodies as a scene with one explicit pair. */
static bool read_pair_as_scene(api_reader *reader, const member_set *set,
                               const api_query_context *context, api_query *out) {
  ct_row_pair *pair = api_arena_alloc(reader->arena, sizeof *pair);
  if (!pair) api_fault_memory(reader->faults);
  if (!pair || !make_pair_scene(reader, out)) return false;
  *pair = (ct_row_pair){0, 1};
  out->options.pairs = pair;
  out->options.pair_count = 1;
  out->options.explicit_pairs = true;
  if (out->kind == API_KIND_FEATURES)
    for (int i = 0; i < 2; i++)
      if (!api_features_given(reader, &member(set, i ? M_B : M_A)->path, out->bodies[i].body))
        return false;
  return read_scene_query(reader, set, context, out);
}

static bool read_inline_scene(api_reader *reader, const member_set *set,
                              const api_query_context *context, api_query *out) {
  api_scene_document document = {0};
  const api_field *field = member(set, M_SCENE);
  size_t warned = reader->warnings ? reader->warnings->count : 0;
  bool good = api_read_scene(reader, field, &document);
  if (good) out->scene = api_make_scene(reader, &field->path, &document, 1);
  api_store_group_warnings(reader, warned, out);
  api_scene_document_release(&document);
  out->owns_scene = out->scene != NULL;
  return out->owns_scene && read_scene_query(reader, set, context, out);
}

static bool check_ids(api_reader *reader, const member_set *set, const api_query *out) {
  if (out->body_count < 2 ||
      !api_text_equal(ct_body_id(out->bodies[0].body), ct_body_id(out->bodies[1].body)))
    return true;
  api_fault_at(reader->faults, API_PROBLEM_DUPLICATE_ID, &member(set, M_B)->path,
               "a and b have the same id.");
  return false;
}

/* Reads a query of two given bodies; with one collider each, distance and overlap need no scene. */
static bool read_given_pair(api_reader *reader, const member_set *set,
                            const api_query_context *context, api_query *out) {
  if (!check_ids(reader, set, out)) return false;
  bool single = true;
  for (int i = 0; i < 2; i++) single = single && ct_body_collider_count(out->bodies[i].body) == 1;
  bool one = out->kind == API_KIND_DISTANCE || out->kind == API_KIND_OVERLAP;
  if (!single || !one) return read_pair_as_scene(reader, set, context, out);
  out->mode = API_MODE_PAIR;
  return true;
}

/* Reads bodies a and b; b is optional for mass properties and probes. */
static bool read_given_bodies(api_reader *reader, const member_set *set,
                              const api_query_context *context, api_query *out) {
  bool mass = out->kind == API_KIND_MASS_PROPERTIES, probe = api_kind_is_probe(out->kind);
  for (int i = 0; i < 2; i++) {
    const api_field *field = member(set, i ? M_B : M_A);
    if (!api_field_present(field)) {
      if ((mass || probe) && i == 1) break;
      api_fault_at(reader->faults, API_PROBLEM_MISSING_MEMBER, field->path.parent,
                   "The member \"%s\" is missing.", field->name);
      return false;
    }
    api_body_form form = {.id = api_text(field->name), .allow_short = true};
    if (!api_read_body(reader, field, &form, &out->bodies[i])) return false;
    out->body_count = (size_t)i + 1;
    if (!api_reject_material_names(reader, field, out->bodies[i].body)) return false;
  }
  if (probe)
    return check_ids(reader, set, out) && make_pair_scene(reader, out) &&
           read_scene_query(reader, set, context, out);
  if (!mass) return read_given_pair(reader, set, context, out);
  out->mode = API_MODE_MASS;
  return true;
}

/* Reads a query of raw boxes. Without a limit all pairs are on one page. */
static bool read_boxes(api_reader *reader, const member_set *set, const api_query_context *context,
                       api_query *out) {
  const api_boxes_fields fields = {member(set, M_BOXES), member(set, M_FRAMES),
                                   member(set, M_INCLUDE)};
  if (!api_field_present(member(set, M_LIMIT))) out->limit = UINT64_MAX;
  return read_cursor(reader, member(set, M_CURSOR), context, out) &&
         api_read_boxes(reader, &fields, out);
}

static bool read_stateless_query(api_reader *reader, const api_field *field, const member_set *set,
                                 const api_query_context *context, api_query *out) {
  const uint64_t around = BIT(ID) | BIT(KIND) | BIT(DEADLINE);
  if (api_field_present(member(set, M_SCENE)))
    return refuse_others(reader, set, scene_members[out->kind] | BIT(SCENE) | around, "scene") &&
           read_inline_scene(reader, set, context, out);
  if (api_field_present(member(set, M_BOXES)))
    return refuse_others(reader, set, BOXES_MEMBERS | around, "boxes") &&
           read_boxes(reader, set, context, out);
  if (!api_field_present(member(set, M_A)) && !api_field_present(member(set, M_B))) {
    api_fault_at(reader->faults, API_PROBLEM_MISSING_MEMBER, &field->path, "Give %s, or scene%s.",
                 out->kind == API_KIND_MASS_PROPERTIES || api_kind_is_probe(out->kind) ? "a"
                                                                                       : "a and b",
                 out->kind == API_KIND_PAIRS ? ", or boxes" : "");
    return false;
  }
  return refuse_others(reader, set, given_members[out->kind] | around, "a and b") &&
         read_given_bodies(reader, set, context, out);
}

/* Refuses zeroCrossings in a stateless batch: only scenes of the daemon have contact states. */
static bool check_state_support(api_reader *reader, const api_field *field,
                                const api_query_context *context) {
  if (context->kind != API_KIND_ZERO_CROSSINGS || context->scene) return true;
  api_pointer kind = api_pointer_member(&field->path, "kind");
  api_fault_at(
      reader->faults, API_PROBLEM_BAD_VALUE, &kind,
      "A contact state is kept with a scene: ask for zeroCrossings at /v1/scenes/{id}/query.");
  return false;
}

bool api_read_query(api_reader *reader, const api_field *field, const api_query_context *context,
                    api_query *out) {
  uint64_t allowed =
      scene_members[context->kind] | (context->in_batch ? BIT(ID) | BIT(KIND) : BIT(DEADLINE));
  if (!context->scene)
    allowed |= BIT(SCENE) | given_members[context->kind] |
               (context->kind == API_KIND_PAIRS ? BOXES_MEMBERS : 0);
  /* The poses of a write were read and removed before; the list of names still has the member. */
  if (context->writes) allowed &= ~OF_ALL;
  else if (context->scene)
    allowed |= api_kind_uses_filters(context->kind) ? BIT(ADD) | BIT(FILTERS) : BIT(ADD);
  if (!context->scene && context->kind == API_KIND_COMPLIANT_FORCES) allowed &= ~BIT(CONTACT_STATE);
  member_set set;
  if (!check_state_support(reader, field, context)) return false;
  if (!read_members(reader, field, allowed, api_force_members(context->kind), &set)) return false;
  out->kind = context->kind;
  out->mode = API_MODE_SCENE;
  out->scene = out->revision = context->scene;
  out->writes = context->writes;
  out->reports_revision = context->scene != NULL && !context->writes;
  out->limit = context->writes ? UINT64_MAX - 1 : reader->limits->page;
  out->options.cancel = reader->cancel;
  out->object = field->value;
  out->hash_seed = api_hash_bytes(context->hash_seed, &context->kind, sizeof context->kind);
  if (!read_common_members(reader, &set, context, out)) return false;
  return context->scene ? read_scene_query(reader, &set, context, out)
                        : read_stateless_query(reader, field, &set, context, out);
}

bool api_query_hash(const api_query *q, uint64_t *hash) {
  *hash = q->hash_seed;
  return api_hash_request(hash, q->object);
}

void api_query_release(api_query *q) {
  for (size_t i = 0; i < q->body_count; i++) api_body_release(&q->bodies[i]);
  if (q->has_region) api_collider_release(&q->region);
  api_motions_release(&q->motions);
  for (size_t i = 0; i < q->variant_count; i++) api_variant_scene_release(q->variants[i].own);
  if (q->owns_scene) ct_scene_release(q->scene);
}
