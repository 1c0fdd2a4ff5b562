/* Enumeration and distances of the pairs of colliders for contact states. */
#include "contact_state/contact_pairs.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define MASK_WORDS (CT_GROUPS_MAX / 64)

int ct_contact_key_compare(const ct_contact_key *x, const ct_contact_key *y) {
  if (x->a != y->a) return x->a < y->a ? -1 : 1;
  if (x->b != y->b) return x->b < y->b ? -1 : 1;
  if (x->collider_a != y->collider_a) return x->collider_a < y->collider_a ? -1 : 1;
  return (x->collider_b > y->collider_b) - (x->collider_b < y->collider_b);
}

static bool has_motion(const ct_scene *scene, uint32_t row) {
  const ct_body *body = ct_scene_body_at(scene, row);
  return body && ct_body_motion(body);
}

static uint64_t count_moving(const ct_scene *scene) {
  uint64_t count = 0;
  for (uint32_t row = 0; row < scene->rows; row++) count += has_motion(scene, row);
  return count;
}

ct_status ct_contact_pairs_open(ct_contact_pairs *pairs, const ct_scene *scene,
                                const ct_contact_evaluated *how) {
  assert(how->epsilon > 0.0);
  *pairs = (ct_contact_pairs){.scene = scene,
                              .epsilon = how->epsilon,
                              .method = how->method,
                              .mpr = how->mpr,
                              .workspace = how->workspace,
                              .cancel = how->cancel,
                              .placed_row = {CT_NO_ROW, CT_NO_ROW}};
  const ct_query_options options = {
      .clearance = how->epsilon,
      .explicit_pairs = !how->enumerates, /* explicit pairs: no boxes or tree are needed */
      .overrides = how->overrides,
      .override_count = how->override_count,
      .cancel = how->cancel};
  ct_status status = ct_query_prepare_distances(scene, &options, NULL, &pairs->query);
  if (status != CT_OK) return status;
  status = ct_scene_row_filter(scene, how->cancel, &pairs->filter);
  if (status == CT_OK)
    status =
        ct_aabb_field_open(&pairs->field, pairs->query, how->enumerates ? count_moving(scene) : 0);
  if (status != CT_OK) {
    ct_query_destroy(pairs->query);
    return status;
  }
  ct_workspace_watch(pairs->workspace, pairs->cancel);
  /* clears the flag that earlier queries may have set */
  ct_workspace_out_of_memory(pairs->workspace);
  return CT_OK;
}

void ct_contact_pairs_close(ct_contact_pairs *pairs) {
  ct_workspace_watch(pairs->workspace, NULL);
  for (int side = 0; side < 2; side++) ct_placed_body_free(&pairs->placed[side]);
  ct_aabb_field_close(&pairs->field);
  ct_query_destroy(pairs->query);
}

/* ---- admissible pairs ------------------------------------------------------------------------ */

/* True if one of the bodies has a motion and the filters admit the pair. */
static bool is_admissible(const ct_contact_pairs *pairs, const ct_contact_key *key) {
  const ct_scene *scene = pairs->scene;
  if (!has_motion(scene, key->a) && !has_motion(scene, key->b)) return false;
  const ct_row_filter *filter = pairs->filter;
  if (!filter) return true;
  uint64_t mask[MASK_WORDS];
  bool masked = ct_row_filter_mask(filter, key->a, mask);
  return ct_row_filter_passes(filter, key->a, masked ? mask : NULL, key->b);
}

/* Number of pairs of colliders of different bodies, computed from the sum of the bodies' collider
 * counts and the sum of their squares. */
static uint64_t count_pairs_among(uint64_t sum, uint64_t squares) {
  return (sum * sum - squares) / 2;
}

uint64_t ct_contact_pairs_total(const ct_scene *scene) {
  uint64_t sum = 0, squares = 0, still = 0, still_squares = 0;
  for (uint32_t row = 0; row < scene->rows; row++) {
    const ct_body *body = ct_scene_body_at(scene, row);
    uint64_t count = body ? ct_body_collider_count(body) : 0;
    sum += count;
    squares += count * count;
    if (has_motion(scene, row)) continue;
    still += count;
    still_squares += count * count;
  }
  return count_pairs_among(sum, squares) - count_pairs_among(still, still_squares);
}

/* ---- distances ------------------------------------------------------------------------------ */

static bool place_row(ct_contact_pairs *pairs, int side, uint32_t row) {
  if (pairs->placed_row[side] == row) return true;
  pairs->placed_row[side] = CT_NO_ROW;
  assert(row < pairs->scene->rows && (side == 0 || side == 1));
  const ct_body *body = ct_scene_body_at(pairs->scene, row);
  if (!ct_placed_body_set(&pairs->placed[side], body, ct_query_pose(pairs->query, row)))
    return false;
  pairs->placed_row[side] = row;
  return true;
}

static ct_placed place_collider(const ct_placed_body *placed, uint32_t i) {
  assert(i < ct_body_collider_count(placed->body));
  return (ct_placed){ct_body_shape(placed->body, i), &placed->frames[i]};
}

ct_status ct_contact_pairs_place(ct_contact_pairs *pairs, const ct_contact_key *key, ct_placed *a,
                                 ct_placed *b) {
  if (!place_row(pairs, 0, key->a) || !place_row(pairs, 1, key->b)) return CT_OUT_OF_MEMORY;
  *a = place_collider(&pairs->placed[0], key->collider_a);
  *b = place_collider(&pairs->placed[1], key->collider_b);
  return CT_OK;
}

static void compute_distance(const ct_contact_pairs *pairs, ct_placed a, ct_placed b,
                             ct_pair_result *result) {
  const ct_pair_options options = {.tolerance = 0.0, .threshold = INFINITY};
  if (pairs->method == CT_CONTACT_DISTANCE || !ct_mpr_is_supported(a.shape->kind) ||
      !ct_mpr_is_supported(b.shape->kind)) {
    ct_pair_distance(a, b, &options, pairs->workspace, result);
    return;
  }
  ct_mpr_result portal;
  ct_pair_mpr(a, b, &pairs->mpr, &portal);
  *result = (ct_pair_result){.triangle_a = CT_NO_TRIANGLE,
                             .triangle_b = CT_NO_TRIANGLE,
                             .element_a = CT_NO_ELEMENT,
                             .element_b = CT_NO_ELEMENT};
  ct_mpr_write_result(&portal, 0.0, result);
}

ct_status ct_contact_pairs_result(ct_contact_pairs *pairs, const ct_contact_key *key,
                                  ct_pair_result *result) {
  ct_placed a, b;
  ct_status status = ct_contact_pairs_place(pairs, key, &a, &b);
  if (status != CT_OK) return status;
  compute_distance(pairs, a, b, result);
  pairs->narrow++;
  bool out_of_memory = ct_workspace_out_of_memory(pairs->workspace);
  if (ct_cancel_raised(pairs->cancel)) return CT_CANCELLED;
  return out_of_memory ? CT_OUT_OF_MEMORY : CT_OK;
}

/* ---- enumeration ----------------------------------------------------------------------------- */

/* Search of ct_contact_pairs_enumerate for the partners of one body. */
typedef struct pair_enumeration {
  ct_contact_pairs *pairs;
  const double *limit;
  ct_contact_visit visit;
  void *context;
  uint32_t row; /* row of the moving body whose partners are searched */
  ct_aabb_view view;
  bool masked;
  uint64_t mask[MASK_WORDS]; /* bit set of the groups with which this body does not collide */
  ct_contact_key key;        /* rows and colliders of the current pair */
  /* [0], [1]: view of the body of key.a, key.b if this body is a single half-space; else NULL */
  const ct_aabb_view *plane[2];
} pair_enumeration;

/* Lower bound of the distance of collider a of the first body and collider b of the second, from
 * the colliders' boxes, or from the half-space of a body that is one. */
static double bound_pair_distance(const pair_enumeration *enumeration, uint32_t a, uint32_t b) {
  const ct_contact_pairs *pairs = enumeration->pairs;
  ct_aabb_view views[2] = {ct_aabb_view_of(&pairs->placed[0].boxes[a]),
                           ct_aabb_view_of(&pairs->placed[1].boxes[b])};
  return ct_aabb_distance_bound(enumeration->plane[0] ? enumeration->plane[0] : &views[0],
                                enumeration->plane[1] ? enumeration->plane[1] : &views[1]);
}

static ct_status visit_colliders(void *context, uint32_t a, uint32_t b) {
  pair_enumeration *enumeration = context;
  double bound = bound_pair_distance(enumeration, a, b);
  enumeration->key.collider_a = a;
  enumeration->key.collider_b = b;
  return bound <= *enumeration->limit
             ? enumeration->visit(enumeration->context, &enumeration->key, bound)
             : CT_OK;
}

/* For two bodies of which at least one has several colliders: visits their pairs of colliders
 * within the limit. */
static ct_status visit_compounds(pair_enumeration *enumeration) {
  ct_contact_pairs *pairs = enumeration->pairs;
  if (!place_row(pairs, 0, enumeration->key.a) || !place_row(pairs, 1, enumeration->key.b))
    return CT_OUT_OF_MEMORY;
  const ct_body_pair pair = {.a = &pairs->placed[0],
                             .b = &pairs->placed[1],
                             .limit = *enumeration->limit,
                             .cancel = pairs->cancel,
                             .workspace = pairs->workspace};
  return ct_body_pair_visit(&pair, visit_colliders, enumeration);
}

static ct_status visit_partner_row(ct_aabb_search *search, uint32_t row, const ct_aabb_view *view,
                                   double bound) {
  pair_enumeration *enumeration = search->context;
  ct_contact_pairs *pairs = enumeration->pairs;
  const ct_row_filter *filter = pairs->filter;
  /* Each of two moving bodies finds the other; the pair is visited only for the lower row. */
  if (row == enumeration->row || (row < enumeration->row && has_motion(pairs->scene, row)))
    return CT_OK;
  if (filter && !ct_row_filter_passes(filter, enumeration->row,
                                      enumeration->masked ? enumeration->mask : NULL, row))
    return CT_OK;
  bool lower = enumeration->row < row;
  enumeration->key = lower ? (ct_contact_key){.a = enumeration->row, .b = row}
                           : (ct_contact_key){.a = row, .b = enumeration->row};
  assert(enumeration->key.a < enumeration->key.b);
  size_t count_a = ct_body_collider_count(ct_scene_body_at(pairs->scene, enumeration->key.a));
  size_t count_b = ct_body_collider_count(ct_scene_body_at(pairs->scene, enumeration->key.b));
  ct_status status;
  if (count_a == 1 && count_b == 1) {
    status = enumeration->visit(enumeration->context, &enumeration->key, bound);
  } else {
    const ct_aabb_view *mine = enumeration->view.is_plane ? &enumeration->view : NULL,
                       *other = view->is_plane ? view : NULL;
    enumeration->plane[0] = lower ? mine : other;
    enumeration->plane[1] = lower ? other : mine;
    status = visit_compounds(enumeration);
  }
  search->limit = *enumeration->limit;
  return status;
}

ct_status ct_contact_pairs_enumerate(ct_contact_pairs *pairs, const double *limit,
                                     ct_contact_visit visit, void *context) {
  pair_enumeration enumeration = {
      .pairs = pairs, .limit = limit, .visit = visit, .context = context};
  ct_aabb_search search = {.field = &pairs->field,
                           .from = &enumeration.view,
                           .visit = visit_partner_row,
                           .context = &enumeration,
                           .poll = ct_poll_start_later(pairs->cancel, CT_AABB_BOXES_PER_POLL)};
  const ct_row_filter *filter = pairs->filter;
  ct_status status = CT_OK;
  for (uint32_t row = 0; row < pairs->scene->rows && status == CT_OK; row++) {
    if (!has_motion(pairs->scene, row) || !ct_aabb_view_row(pairs->query, row, &enumeration.view))
      continue;
    if (ct_cancel_raised(pairs->cancel)) return CT_CANCELLED;
    enumeration.row = row;
    enumeration.masked = filter && ct_row_filter_mask(filter, row, enumeration.mask);
    search.mask = enumeration.masked ? enumeration.mask : NULL;
    search.limit = *limit;
    status = ct_aabb_search_run(&search);
  }
  return status;
}

/* ---- members -------------------------------------------------------------------------------- */

static uint32_t find_record_row(const ct_scene *scene, ct_text id, uint64_t serial) {
  uint32_t row = ct_scene_find(scene, id);
  return row != CT_NO_ROW && ct_scene_serial(scene, row) == serial ? row : CT_NO_ROW;
}

static bool is_collider(const ct_body *body, uint32_t index, ct_text name) {
  if (index >= ct_body_collider_count(body)) return false;
  ct_text id = ct_body_collider_id(body, index);
  return id.length == name.length && memcmp(id.bytes, name.bytes, id.length) == 0;
}

/* Finds the collider with the id `name`; without an id, the collider at *index if it has none
 * either. The search starts at the previous *index and proceeds to both sides, because indices
 * seldom change much. False: the body has no such collider, and *index has no meaning. */
static bool find_collider(const ct_body *body, ct_text name, uint32_t *index) {
  uint32_t from = *index;
  if (is_collider(body, from, name)) return true;
  if (name.length == 0) return false;
  uint32_t count = (uint32_t)ct_body_collider_count(body), most = from > count ? from : count;
  for (uint32_t d = 1; d <= most; d++) {
    *index = from + d;
    if (is_collider(body, *index, name)) return true;
    *index = from - d;
    if (d <= from && is_collider(body, *index, name)) return true;
  }
  return false;
}

/* Finds the record's pair in this revision. False: the pair takes part no longer, and *key has no
 * meaning. */
static bool find_record_key(const ct_contact_pairs *pairs, const ct_contact_record *r,
                            ct_contact_key *key) {
  const ct_scene *scene = pairs->scene;
  *key = (ct_contact_key){find_record_row(scene, r->body_a, r->serial_a),
                          find_record_row(scene, r->body_b, r->serial_b), r->collider_a,
                          r->collider_b};
  if (key->a == CT_NO_ROW || key->b == CT_NO_ROW) return false;
  if (!find_collider(ct_scene_body_at(scene, key->a), r->name_a, &key->collider_a)) return false;
  if (!find_collider(ct_scene_body_at(scene, key->b), r->name_b, &key->collider_b)) return false;
  return is_admissible(pairs, key);
}

static int compare_member_keys(const void *x, const void *y) {
  return ct_contact_key_compare(&((const ct_contact_member *)x)->key,
                                &((const ct_contact_member *)y)->key);
}

ct_status ct_contact_members_of(const ct_contact_pairs *pairs, const ct_contact_state *state,
                                ct_contact_member **members, size_t *count) {
  size_t records = ct_contact_state_count(state);
  ct_contact_member *list = malloc((records + 1) * sizeof *list);
  if (!list) return CT_OUT_OF_MEMORY;
  bool sorted = true;
  *count = 0;
  for (size_t i = 0; i < records && !ct_cancel_raised(pairs->cancel); i++) {
    ct_contact_member member = {.record = i};
    if (!find_record_key(pairs, ct_contact_state_record(state, i), &member.key)) continue;
    if (*count > 0 && ct_contact_key_compare(&list[*count - 1].key, &member.key) > 0)
      sorted = false;
    list[(*count)++] = member;
  }
  if (ct_cancel_raised(pairs->cancel)) {
    free(list);
    return CT_CANCELLED;
  }
  assert(*count <= records);
  if (!sorted) qsort(list, *count, sizeof *list, compare_member_keys);
  *members = list;
  return CT_OK;
}

size_t ct_contact_member_find(const ct_contact_member *members, size_t count,
                              const ct_contact_key *key) {
  size_t low = 0, high = count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    int order = ct_contact_key_compare(&members[middle].key, key);
    if (order == 0) return middle;
    if (order < 0) low = middle + 1;
    else high = middle;
  }
  return count;
}

/* ---- index from colliders to records --------------------------------------------------------- */

struct ct_contact_index {
  const ct_contact_state *state; /* borrowed */
  ct_contact_member *members;
  size_t count;
};

ct_status ct_contact_index_create(const ct_scene *scene, const ct_contact_state *state,
                                  const ct_cancel *cancel, ct_contact_index **out) {
  ct_contact_pairs pairs = {.scene = scene, .cancel = cancel};
  ct_contact_index *index = calloc(1, sizeof *index);
  if (!index) return CT_OUT_OF_MEMORY;
  index->state = state;
  ct_status status = ct_scene_row_filter(scene, cancel, &pairs.filter);
  if (status == CT_OK)
    status = ct_contact_members_of(&pairs, state, &index->members, &index->count);
  if (status == CT_OK) *out = index;
  else free(index);
  return status;
}

void ct_contact_index_destroy(ct_contact_index *index) {
  if (!index) return;
  free(index->members);
  free(index);
}

const ct_contact_record *ct_contact_index_find(const ct_contact_index *index, uint32_t a,
                                               uint32_t b, uint32_t collider_a,
                                               uint32_t collider_b) {
  const ct_contact_key key = a < b ? (ct_contact_key){a, b, collider_a, collider_b}
                                   : (ct_contact_key){b, a, collider_b, collider_a};
  size_t found = ct_contact_member_find(index->members, index->count, &key);
  return found < index->count ? ct_contact_state_record(index->state, index->members[found].record)
                              : NULL;
}
