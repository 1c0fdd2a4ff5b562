/* Reads queries: the members that all kinds have, the cursor, and the target, which is a scene of
 * the daemon, an inline scene, given bodies or raw boxes. Other members are read by the operations
 * of the query kind (query_kind.h). */
#include "queries/query_request.h"

#include <assert.h>

#include "common/warning.h"
#include "documents/scene_json.h"
#include "queries/boxes_request.h"
#include "queries/query_members.h"
#include "queries/variant_scene.h"
#include "results/result_json.h"

const char *const api_kind_words[API_KIND_COUNT] = {
#define KIND_WORD(name, row, word, routes) [API_KIND_##name] = word,
    API_KIND_MAP(KIND_WORD)
#undef KIND_WORD
};

/* ---- the set of members --------------------------------------------------------------------- */

/* The names of all members of a query fit into the list of a message. */
#define MEMBER_LISTED(name, word) ", " word
_Static_assert(sizeof("" API_MEMBER_MAP(MEMBER_LISTED)) <= API_NAMES_MAX,
               "the names of all members");

static const char *const member_names[API_MEMBER_COUNT] = {
#define MEMBER_NAME(name, word) [API_MEMBER_##name] = word,
    API_MEMBER_MAP(MEMBER_NAME)
#undef MEMBER_NAME
};

static bool is_member_allowed(int m, uint64_t allowed, uint32_t of_forces) {
  return m < API_MEMBER_FORCE ? allowed >> m & 1 : of_forces >> (m - API_MEMBER_FORCE) & 1;
}

static bool read_members(api_reader *reader, const api_field *field, uint64_t allowed,
                         uint32_t of_forces, api_member_set *set) {
  set->whole = &field->path;
  set->count = 0;
  for (int m = 0; m < API_MEMBERS_ALL; m++) {
    if (!is_member_allowed(m, allowed, of_forces)) continue;
    set->place[m] = (uint8_t)set->count;
    set->list[set->count++] =
        (api_field){.name = m < API_MEMBER_FORCE ? member_names[m]
                                                 : api_force_member_word(m - API_MEMBER_FORCE)};
  }
  set->list[set->count] = (api_field){0};
  for (int m = 0; m < API_MEMBERS_ALL; m++)
    if (!is_member_allowed(m, allowed, of_forces)) set->place[m] = (uint8_t)set->count;
  assert(set->count <= API_MEMBERS_ALL);
  return api_read_object(reader, field, set->list, set->count);
}

static bool refuse_other_members(api_reader *reader, const api_member_set *set, uint64_t meant,
                                 const char *with) {
  bool good = true;
  for (int m = 0; m < API_MEMBER_COUNT; m++) {
    good =
        api_reject_combination(reader, api_member(set, m), !(meant & (UINT64_C(1) << m)), with) &&
        good;
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

/* Greatest number of words that the member `include` of a kind has. */
#define INCLUDES_MAX 4

static bool read_include_words(api_reader *reader, const api_field *field, api_query *out) {
  const char *words[INCLUDES_MAX];
  const api_include_word *all = out->kind->include;
  size_t known = 0, count, which = 0;
  if (!api_field_present(field)) return true;
  for (; all && all[known].word; known++) {
    assert(known < INCLUDES_MAX && all[known].flag < sizeof *out);
    words[known] = all[known].word;
  }
  if (!api_read_array(reader, field, 0, known, &count)) return false;
  for (size_t i = 0; i < count; i++) {
    api_field element = api_field_element(field, i);
    if (!api_read_word(reader, &element, words, known, &which)) return false;
    *(bool *)((char *)out + all[which].flag) = true;
  }
  return true;
}

static bool read_detail(api_reader *reader, const api_field *field, api_query *out) {
  static const char *const words[] = {"deepest", "manifold", "full"};
  static const ct_detail values[] = {CT_DETAIL_DEEPEST, CT_DETAIL_MANIFOLD, CT_DETAIL_FULL};
  /* Force queries do not accept "deepest": a single point cannot balance a body. */
  size_t first = out->kind->force ? 1 : 0, which = 1 - first;
  if (!api_read_word(reader, field, words + first, 3 - first, &which)) return false;
  out->evaluation.detail = values[first + which];
  return true;
}

const char *const api_page_members[API_PAGE_MEMBERS] = {"cursor", "limit", "deadlineMs"};

bool api_is_cursor_alone(const json_t *object) {
  if (!json_is_string(json_object_get(object, "cursor"))) return false;
  size_t known = 0;
  for (size_t i = 0; i < API_PAGE_MEMBERS; i++)
    known += json_object_get(object, api_page_members[i]) != NULL;
  return known == json_object_size(object);
}

/* Refuses a cursor that was not issued for this request. If the request consists of the cursor
 * alone, the query that it continues may no longer be stored. */
static void refuse_cursor(api_reader *reader, const api_field *field, ct_text text,
                          const api_query_context *context, const json_t *request) {
  bool alone = api_is_cursor_alone(request) && api_cursor_has_form(text.bytes, text.length);
  bool of_another = context->call->continued != NULL; /* kind */
  if (alone && context->scene && !context->in_batch && !of_another)
    api_fault_plain(reader->faults, API_PROBLEM_REVISION_GONE,
                    "The query of this cursor is not retained: send the query again, with the "
                    "cursor or from its start.");
  else
    api_fault_at(reader->faults, API_PROBLEM_BAD_CURSOR, &field->path,
                 "The cursor was not issued for this query: send the query unchanged, with its own "
                 "cursor.%s",
                 context->in_batch ? " In a batch a cursor cannot be sent alone."
                 : context->scene  ? ""
                                   : " Without a scene a cursor cannot be sent alone.");
}

/* Reads the cursor and sets the scene to the revision to which it is bound, which may be older. */
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

/* Checks that the broadphase method supports `closest`: only the tree and brute force do. */
static bool check_nearest(api_reader *reader, const api_member_set *set, const api_query *out) {
  ct_broadphase b = out->options.broadphase;
  if (!out->evaluation.nearest || b == CT_BROADPHASE_AUTO || b == CT_BROADPHASE_TREE ||
      b == CT_BROADPHASE_BRUTE_FORCE)
    return true;
  api_fault_at(reader->faults, API_PROBLEM_CONFLICTING_MEMBERS,
               &api_member(set, API_MEMBER_BROADPHASE)->path,
               "\"closest\": true requires broadphase auto, tree or bruteForce, not \"%s\".",
               api_broadphase_word(b));
  return false;
}

static bool read_common_members(api_reader *reader, const api_member_set *set,
                                const api_query_context *context, api_query *out) {
  bool good = api_read_unsigned(reader, api_member(set, API_MEMBER_LIMIT), 1,
                                reader->limits->page_max, &out->limit);
  good = api_read_number(reader, api_member(set, API_MEMBER_CLEARANCE), 0.0, CT_SIZE_MAX,
                         &out->options.clearance) &&
         good;
  good = api_read_number(reader, api_member(set, API_MEMBER_TOLERANCE), 0.0, CT_SIZE_MAX,
                         &out->evaluation.tolerance) &&
         good;
  bool counts_total = true;
  good = api_read_bool(reader, api_member(set, API_MEMBER_TOTAL), &counts_total) && good;
  out->without_total = !counts_total;
  good =
      api_read_bool(reader, api_member(set, API_MEMBER_CLOSEST), &out->evaluation.nearest) && good;
  good = read_broadphase(reader, api_member(set, API_MEMBER_BROADPHASE), out) && good;
  if (good) good = check_nearest(reader, set, out);
  good = read_include_words(reader, api_member(set, API_MEMBER_INCLUDE), out) && good;
  if (out->kind->read_method) good = out->kind->read_method(reader, set, out) && good;
  good = read_detail(reader, api_member(set, API_MEMBER_DETAIL), out) && good;
  uint64_t deadline = 0;
  good = api_read_unsigned(reader, api_member(set, API_MEMBER_DEADLINE), 1,
                           reader->limits->deadline_max_ms, &deadline) &&
         good;
  if (good && deadline > 0 && context->deadline_ms) *context->deadline_ms = deadline;
  return good;
}

/* ---- targets -------------------------------------------------------------------------------- */

bool api_check_selection(api_reader *reader, const api_member_set *set) {
  return api_reject_combination(reader, api_member(set, API_MEMBER_WHERE),
                                api_field_present(api_member(set, API_MEMBER_PAIRS)), "pairs");
}

bool api_read_selected_pairs(api_reader *reader, const api_member_set *set,
                             const api_query_context *context, api_query *out) {
  const api_pair_operations *pair = out->kind->pair;
  const api_field *where = api_member(set, API_MEMBER_WHERE),
                  *pairs = api_member(set, API_MEMBER_PAIRS);
  const api_variant_fields variants = {api_member(set, API_MEMBER_VARIANTS), where, pairs};
  bool good = api_read_variants(reader, &variants, out);
  if (pair && pair->read_details) good = pair->read_details(reader, set, out) && good;
  return api_read_what_if(reader, api_member(set, API_MEMBER_POSES), context, out) && good;
}

/* Reads a query of a scene whose revision is known. */
static bool read_scene_query(api_reader *reader, const api_member_set *set,
                             const api_query_context *context, api_query *out) {
  if (!read_cursor(reader, api_member(set, API_MEMBER_CURSOR), context, out)) return false;
  const api_hypothesis_fields supposed = {api_member(set, API_MEMBER_ADD),
                                          api_member(set, API_MEMBER_FILTERS), set->whole};
  if (context->scene && !api_apply_query_hypotheses(reader, &supposed, context, out)) return false;
  assert(out->scene);
  return out->kind->read(reader, set, context, out);
}

/* Makes a scene of the given bodies, which the query owns. */
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

/* Reads a query of two given bodies as a query of a scene with one explicit pair. */
static bool read_pair_as_scene(api_reader *reader, const api_member_set *set,
                               const api_query_context *context, api_query *out) {
  ct_row_pair *pair = api_arena_alloc(reader->arena, sizeof *pair);
  if (!pair) api_fault_memory(reader->faults);
  if (!pair || !make_pair_scene(reader, out)) return false;
  *pair = (ct_row_pair){0, 1};
  out->options.pairs = pair;
  out->options.pair_count = 1;
  out->options.explicit_pairs = true;
  const api_pair_operations *operations = out->kind->pair;
  for (int i = 0; operations && operations->check_body && i < 2; i++)
    if (!operations->check_body(reader, &api_member(set, i ? API_MEMBER_B : API_MEMBER_A)->path,
                                out->bodies[i].body))
      return false;
  return read_scene_query(reader, set, context, out);
}

static bool read_inline_scene(api_reader *reader, const api_member_set *set,
                              const api_query_context *context, api_query *out) {
  api_scene_document document = {0};
  const api_field *field = api_member(set, API_MEMBER_SCENE);
  size_t warned = reader->warnings ? reader->warnings->count : 0;
  bool good = api_read_scene(reader, field, &document);
  if (good) out->scene = api_make_scene(reader, &field->path, &document, 1);
  api_store_group_warnings(reader, warned, &out->warnings);
  api_scene_document_release(&document);
  out->owns_scene = out->scene != NULL;
  return out->owns_scene && read_scene_query(reader, set, context, out);
}

static bool check_given_ids(api_reader *reader, const api_member_set *set, const api_query *out) {
  if (out->body_count < 2 ||
      !api_text_equal(ct_body_id(out->bodies[0].body), ct_body_id(out->bodies[1].body)))
    return true;
  api_fault_at(reader->faults, API_PROBLEM_DUPLICATE_ID, &api_member(set, API_MEMBER_B)->path,
               "a and b have the same id: give them different ids, or omit the ids.");
  return false;
}

bool api_read_given_pair(api_reader *reader, const api_member_set *set,
                         const api_query_context *context, api_query *out) {
  assert(out->body_count == 2);
  if (!check_given_ids(reader, set, out)) return false;
  bool single = true;
  for (int i = 0; i < 2; i++) single = single && ct_body_collider_count(out->bodies[i].body) == 1;
  if (!single || !out->kind->pair || !out->kind->pair->evaluate)
    return read_pair_as_scene(reader, set, context, out);
  out->mode = API_MODE_PAIR;
  return true;
}

bool api_read_given_scene(api_reader *reader, const api_member_set *set,
                          const api_query_context *context, api_query *out) {
  return check_given_ids(reader, set, out) && make_pair_scene(reader, out) &&
         read_scene_query(reader, set, context, out);
}

/* Reads the given bodies a and b, then the members of the kind. */
static bool read_given_bodies(api_reader *reader, const api_member_set *set,
                              const api_query_context *context, api_query *out) {
  for (int i = 0; i < 2; i++) {
    const api_field *field = api_member(set, i ? API_MEMBER_B : API_MEMBER_A);
    if (!api_field_present(field)) {
      if (out->kind->one_body && i == 1) break;
      api_fault_at(reader->faults, API_PROBLEM_MISSING_MEMBER, field->path.parent,
                   "The member \"%s\" is required.", field->name);
      return false;
    }
    api_body_form form = {.id = api_text(field->name), .allow_short = true, .without_scene = true};
    if (!api_read_body(reader, field, &form, &out->bodies[i])) return false;
    out->body_count = (size_t)i + 1;
  }
  return out->kind->read_given(reader, set, context, out);
}

/* Reads a query of raw boxes. Without a limit, one page has all pairs. */
static bool read_boxes(api_reader *reader, const api_member_set *set,
                       const api_query_context *context, api_query *out) {
  const api_boxes_fields fields = {api_member(set, API_MEMBER_BOXES),
                                   api_member(set, API_MEMBER_FRAMES),
                                   api_member(set, API_MEMBER_INCLUDE)};
  if (!api_field_present(api_member(set, API_MEMBER_LIMIT))) out->limit = UINT64_MAX;
  return read_cursor(reader, api_member(set, API_MEMBER_CURSOR), context, out) &&
         api_read_boxes(reader, &fields, out);
}

/* Refuses members that a query of two given bodies does not have. For `motions`, the message names
 * the members that do the same. */
static bool refuse_other_than_given(api_reader *reader, const api_member_set *set, uint64_t meant) {
  if (!(meant & API_MEMBER(MOTION_A))) return refuse_other_members(reader, set, meant, "a and b");
  bool good = api_reject_combination(reader, api_member(set, API_MEMBER_MOTIONS), true,
                                     "a and b: use motionA and motionB");
  return refuse_other_members(reader, set, meant | API_MEMBER(MOTIONS), "a and b") && good;
}

static bool read_stateless_query(api_reader *reader, const api_field *field,
                                 const api_member_set *set, const api_query_context *context,
                                 api_query *out) {
  const uint64_t around = API_MEMBER(ID) | API_MEMBER(KIND) | API_MEMBER(DEADLINE);
  const api_kind_operations *kind = out->kind;
  if (api_field_present(api_member(set, API_MEMBER_SCENE)))
    return refuse_other_members(reader, set, kind->scene_members | API_MEMBER(SCENE) | around,
                                "scene") &&
           read_inline_scene(reader, set, context, out);
  if (api_field_present(api_member(set, API_MEMBER_BOXES)))
    return refuse_other_members(reader, set, kind->boxes_members | around, "boxes") &&
           read_boxes(reader, set, context, out);
  if (!api_field_present(api_member(set, API_MEMBER_A)) &&
      !api_field_present(api_member(set, API_MEMBER_B))) {
    api_fault_at(reader->faults, API_PROBLEM_MISSING_MEMBER, &field->path,
                 "The query has nothing to evaluate: give %s, or scene%s.",
                 kind->one_body ? "a" : "a and b", kind->boxes_members ? ", or boxes" : "");
    return false;
  }
  return refuse_other_than_given(reader, set, kind->given_members | around) &&
         read_given_bodies(reader, set, context, out);
}

/* ---- queries -------------------------------------------------------------------------------- */

/* Checks that the query has a scene of the daemon if its kind requires one. */
static bool check_scene_known(api_reader *reader, const api_field *field,
                              const api_query_context *context) {
  if (!context->kind->scene_only || context->scene) return true;
  api_pointer kind = api_pointer_member(&field->path, "kind");
  api_fault_at(reader->faults, API_PROBLEM_BAD_VALUE, &kind, "%s", context->kind->scene_only);
  return false;
}

/* Returns the members that the query accepts, one bit for each. */
static uint64_t find_accepted_members(const api_query_context *context) {
  const api_kind_operations *kind = context->kind;
  uint64_t accepted = kind->scene_members | (context->in_batch ? API_MEMBER(ID) | API_MEMBER(KIND)
                                                               : API_MEMBER(DEADLINE));
  if (context->scene) accepted |= kind->stored_members;
  else accepted |= API_MEMBER(SCENE) | kind->given_members | kind->boxes_members;
  /* The poses of a write were read and removed from the request before. POSES stays accepted, so
   * that messages list it. */
  if (context->writes) return accepted & ~API_MEMBERS_PAGE;
  if (!context->scene) return accepted;
  return accepted | API_MEMBER(ADD) | (kind->uses_filters ? API_MEMBER(FILTERS) : 0);
}

bool api_read_query(api_reader *reader, const api_field *field, const api_query_context *context,
                    api_query *out) {
  api_member_set set;
  assert(context->kind && !(context->writes && !context->scene));
  if (!check_scene_known(reader, field, context)) return false;
  if (!read_members(reader, field, find_accepted_members(context), context->kind->force_members,
                    &set))
    return false;
  out->kind = context->kind;
  out->mode = API_MODE_SCENE;
  out->scene = out->revision = context->scene;
  out->writes = context->writes;
  out->reports_revision = context->scene != NULL && !context->writes;
  out->limit = context->writes ? UINT64_MAX - 1 : reader->limits->page;
  out->options.cancel = reader->cancel;
  out->object = field->value;
  out->hash_seed =
      api_hash_bytes(context->hash_seed, &context->kind->number, sizeof context->kind->number);
  if (!read_common_members(reader, &set, context, out)) return false;
  return context->scene ? read_scene_query(reader, &set, context, out)
                        : read_stateless_query(reader, field, &set, context, out);
}

bool api_query_hash(const api_query *q, uint64_t *hash) {
  assert(q->object);
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
