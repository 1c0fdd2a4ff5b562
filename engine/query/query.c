/* Prepares a query: pose overrides, boxes or tree, and candidate pairs listed by a broad phase
 * method. Also the consecutive frames of one scene (ct_query_frames): boxes of the last frame and
 * its accepted pairs, to report which pairs began and ended. */
#include "query/query.h"
#include "base/array.h"
#include "broad/broad_methods.h"
#include "broad/pair_list.h"

#include <contact/broad.h>

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct ct_query_frames {
  ct_frames *boxes;                 /* NULL before the first frame */
  size_t count;                     /* number of boxes per frame */
  ct_pair_list pairs, begun, ended; /* accepted pairs of the frame; pairs that are new and that
                                       ended since the previous frame */
  ct_query_frame last;
};

ct_query_frames *ct_query_frames_create(void) { return calloc(1, sizeof(ct_query_frames)); }

void ct_query_frames_destroy(ct_query_frames *frames) {
  if (!frames) return;
  ct_frames_destroy(frames->boxes);
  ct_pair_list_free(&frames->pairs);
  ct_pair_list_free(&frames->begun);
  ct_pair_list_free(&frames->ended);
  free(frames);
}

const ct_query_frame *ct_query_frames_last(const ct_query_frames *frames) { return &frames->last; }

/* Finds the pairs of intersecting boxes of the next frame, as ct_broad_pairs does. `frames` owns
 * the items of *list, which are valid until the next call. */
static ct_status find_frame_pairs(ct_query_frames *frames, const ct_aabb *boxes, size_t count,
                                  const ct_broad_options *options, ct_pair_list *list,
                                  ct_broad_statistics *statistics) {
  bool first = !frames->boxes;
  if (first) frames->boxes = ct_frames_create(count);
  if (!frames->boxes) return CT_OUT_OF_MEMORY;
  if (first) frames->count = count;
  assert(count == frames->count);
  ct_frame_pairs found;
  ct_status status = ct_frames_next(frames->boxes, boxes, options, &found);
  if (status != CT_OK) return status;
  frames->last = (ct_query_frame){.method = found.method,
                                  .swaps = found.swaps,
                                  .box_tests = found.box_tests,
                                  .full_sorts = found.full_sorts,
                                  .tree_height = found.tree_height};
  *list = (ct_pair_list){(ct_pair_index *)found.pairs, found.pair_count, found.pair_count};
  *statistics =
      (ct_broad_statistics){found.method, found.tree_height, found.full_sorts, found.box_tests};
  return CT_OK;
}

/* Records the broad phase method and the number of box tests of a frame for which ct_frames was not
 * used. */
static void set_frame_method(ct_query_frames *frames, ct_broadphase method, uint64_t box_tests) {
  frames->last = (ct_query_frame){.method = method, .box_tests = box_tests};
}

/* Stores copies of the accepted pairs, and computes which pairs began and ended since the previous
 * frame. */
static ct_status record_frame_pairs(ct_query_frames *frames, const ct_pair_index *accepted,
                                    size_t count) {
  ct_pair_list pairs = {NULL, 0, 0};
  ct_pair_output out = {.list = &pairs, .limit = SIZE_MAX};
  ct_status status = CT_OK;
  for (size_t k = 0; k < count && status == CT_OK; k++)
    status = ct_pair_output_add(&out, accepted[k].i, accepted[k].j);
  ct_pair_list_free(&frames->begun);
  ct_pair_list_free(&frames->ended);
  frames->begun = frames->ended = (ct_pair_list){NULL, 0, 0};
  if (status == CT_OK)
    status = ct_pair_changes(&frames->pairs, &pairs, &frames->begun, &frames->ended);
  if (status != CT_OK) {
    ct_pair_list_free(&pairs);
    return status;
  }
  ct_pair_list_free(&frames->pairs);
  frames->pairs = pairs;
  frames->last.pairs = count;
  frames->last.begun = frames->begun.items;
  frames->last.begun_count = frames->begun.count;
  frames->last.ended = frames->ended.items;
  frames->last.ended_count = frames->ended.count;
  return CT_OK;
}

/* Scenes with up to this many bodies (rows) are searched without a tree: this saves building the
 * tree for the first query, and later queries are slower by at most 1 us. */
#define BOXES_ROWS_MAX 16
/* With `nearest` and more overriding poses than this, the query builds its own tree of all boxes:
 * otherwise each body would be tested with each overriding pose. */
#define OVERRIDES_MAX 64
/* `where` selects few bodies if it selects at most one of FEW_SHARE bodies; their pairs are then
 * listed during preparation. */
#define FEW_SHARE 8

static ct_status set_overrides(ct_query *query) {
  const ct_query_options *o = &query->options;
  if (o->override_count == 0) return CT_OK;
  query->overridden = calloc((size_t)query->scene->rows / 8 + 1, 1);
  if (!query->overridden) return CT_OUT_OF_MEMORY;
  for (size_t k = 0; k < o->override_count; k++) {
    uint32_t row = o->overrides[k].row;
    if (row >= query->scene->rows) return CT_LIMIT;
    query->overridden[row / 8] = (uint8_t)(query->overridden[row / 8] | 1u << (row % 8));
  }
  return CT_OK;
}

/* Computes the AABB, at the query's pose, of the body in a row; ct_aabb_empty without colliders. */
static ct_aabb make_box(const ct_query *query, uint32_t row) {
  const ct_body *body = ct_scene_body_at(query->scene, row);
  if (!body) return ct_aabb_empty();
  ct_frame frame = ct_frame_of(*ct_query_pose(query, row));
  return ct_body_aabb(body, &frame);
}

static ct_status compute_row_box_array(ct_query *query) {
  uint32_t rows = query->scene->rows;
  ct_aabb *boxes = malloc(((size_t)rows + 1) * sizeof *boxes);
  if (!boxes) return CT_OUT_OF_MEMORY;
  query->boxes = boxes;
  for (uint32_t row = 0; row < rows; row++) {
    if (ct_cancel_raised(query->options.cancel)) return CT_CANCELLED;
    boxes[row] = make_box(query, row);
    query->reach = ct_max2(query->reach, ct_aabb_magnitude(&boxes[row]));
  }
  return CT_OK;
}

static ct_status derive_tree(ct_query *query) {
  const ct_query_options *o = &query->options;
  ct_status status = ct_scene_derive(query->scene, o->cancel, &query->derived);
  if (status != CT_OK) return status;
  query->override_boxes = malloc((o->override_count + 1) * sizeof *query->override_boxes);
  if (!query->override_boxes) return CT_OUT_OF_MEMORY;
  ct_aabb root;
  if (ct_tree_bounds(query->derived->tree, &root)) query->reach = ct_aabb_magnitude(&root);
  for (uint32_t k = 0; k < query->derived->unbounded_count; k++)
    query->reach = ct_max2(query->reach, ct_aabb_magnitude(&query->derived->unbounded[k].box));
  for (size_t k = 0; k < o->override_count; k++) {
    if (ct_cancel_raised(o->cancel)) return CT_CANCELLED;
    query->override_boxes[k] = make_box(query, o->overrides[k].row);
    query->reach = ct_max2(query->reach, ct_aabb_magnitude(&query->override_boxes[k]));
  }
  return CT_OK;
}

/* Builds query->own_tree, the tree of the AABBs of all bodies at the query's poses. */
static ct_status make_own_tree(ct_query *query) {
  ct_status status = compute_row_box_array(query);
  if (status != CT_OK) return status;
  uint32_t rows = query->scene->rows, count = 0;
  uint32_t *users = malloc(((size_t)rows + 1) * sizeof *users);
  ct_aabb *boxes = malloc(((size_t)rows + 1) * sizeof *boxes);
  query->own_tree = ct_tree_create();
  if (!users || !boxes || !query->own_tree) status = CT_OUT_OF_MEMORY;
  for (uint32_t row = 0; row < rows && status == CT_OK; row++) {
    if (!ct_query_aabb(query, row, &boxes[count])) continue;
    users[count++] = row;
  }
  if (status == CT_OK)
    status = ct_tree_build(query->own_tree, boxes, users, count, NULL, query->options.cancel);
  free(users);
  free(boxes);
  return status;
}

/* ---- few selected bodies -------------------------------------------------------------------- */

static size_t count_selected(const uint8_t *where, uint32_t rows) {
  size_t count = 0;
  for (uint32_t row = 0; where && row < rows; row++) count += where[row];
  return where ? count : rows;
}

/* Returns the smaller of the sets where_a and where_b if it has few bodies, else NULL. */
static const uint8_t *few_selected(const ct_query *query) {
  const ct_query_options *o = &query->options;
  if (!o->where_a && !o->where_b) return NULL;
  size_t a = count_selected(o->where_a, query->scene->rows),
         b = count_selected(o->where_b, query->scene->rows);
  if ((a < b ? a : b) * FEW_SHARE > query->scene->count) return NULL;
  return a < b ? o->where_a : o->where_b;
}

static ct_status list_pair(ct_query *query, size_t *capacity, uint32_t i, uint32_t j) {
  if (query->listed_count == CT_PAIRS_MAX) return CT_PAIR_LIMIT;
  if (!ct_array_reserve(&query->listed, capacity, query->listed_count + 1, sizeof *query->listed))
    return CT_OUT_OF_MEMORY;
  query->listed[query->listed_count++] = i < j ? (ct_pair_index){i, j} : (ct_pair_index){j, i};
  return CT_OK;
}

/* Lists the accepted pairs of one selected body. A pair of two selected bodies is found twice; it
 * is listed only for the body in the lower row. */
static ct_status list_row(ct_query *query, ct_row_finder *finder, uint32_t row, const uint8_t *few,
                          size_t *capacity) {
  ct_row_view view;
  uint64_t tests = 0;
  if (!ct_row_view_set(finder, row, &view)) return CT_OK;
  ct_status status = ct_query_find(finder, &view, 0, &tests);
  query->listed_tests += finder->count;
  for (size_t k = 0; k < finder->count && status == CT_OK; k++) {
    uint32_t partner = finder->rows[k];
    if (partner == row || (few[partner] && partner < row)) continue;
    if (ct_query_accepts(query, &view, partner)) status = list_pair(query, capacity, row, partner);
  }
  return status;
}

static ct_status list_few(ct_query *query, const uint8_t *few) {
  ct_row_finder *finder = malloc(sizeof *finder);
  if (!finder) return CT_OUT_OF_MEMORY;
  ct_row_finder_init(finder, query);
  size_t capacity = 0;
  ct_status status = CT_OK;
  uint32_t rows = query->scene->rows;
  for (uint32_t row = 0; row < rows && status == CT_OK; row++) {
    while (row % 8 == 0 && row + 8 <= rows && memcmp(few + row, (const char[8]){0}, 8) == 0)
      row += 8;
    if (row == rows) break;
    if (!few[row]) continue;
    if (ct_cancel_raised(query->options.cancel)) status = CT_CANCELLED;
    else status = list_row(query, finder, row, few, &capacity);
  }
  ct_row_finder_free(finder);
  free(finder);
  if (status != CT_OK) return status;
  query->source = CT_SOURCE_LISTED;
  return ct_pair_index_sort(query->listed, query->listed_count, query->scene->rows,
                            query->options.cancel);
}

/* ---- methods that list all pairs at once ---------------------------------------------------- */

/* The rows of the bodies that have an AABB, and these AABBs expanded by the clearance. */
typedef struct boxed_rows {
  uint32_t *rows;
  ct_aabb *boxes;
  size_t count;
} boxed_rows;

static bool list_boxed_rows(const ct_query *query, boxed_rows *boxed) {
  uint32_t rows = query->scene->rows;
  boxed->rows = malloc(((size_t)rows + 1) * sizeof *boxed->rows);
  boxed->boxes = malloc(((size_t)rows + 1) * sizeof *boxed->boxes);
  if (!boxed->rows || !boxed->boxes) return false;
  for (uint32_t row = 0; row < rows; row++) {
    ct_row_view view = {.row = row};
    if (!ct_query_aabb(query, row, &view.box)) continue;
    view.magnitude = query->reach; /* the same expansion for all boxes: equal coordinates then stay
                                      equal from frame to frame */
    boxed->boxes[boxed->count] = ct_query_expanded_aabb(query, &view);
    boxed->rows[boxed->count++] = row;
  }
  return true;
}

/* Lists the pairs of `list` that the query accepts. They are a superset: the method's boxes are
 * expanded, and it ignores filters. rows[k]: row in the scene of the body with box k of the broad
 * phase method. */
static ct_status accept_pairs(ct_query *query, const ct_pair_list *list, const uint32_t *rows) {
  ct_row_finder *finder = malloc(sizeof *finder);
  if (!finder) return CT_OUT_OF_MEMORY;
  ct_row_finder_init(finder, query);
  ct_row_view view;
  ct_status status = CT_OK;
  uint32_t last = CT_NO_ROW;
  size_t capacity = 0;
  bool asks = false;
  for (size_t k = 0; k < list->count && status == CT_OK; k++) {
    uint32_t i = rows[list->items[k].i], j = rows[list->items[k].j];
    if (i != last) {
      asks = ct_row_view_set(finder, i, &view);
      last = i;
      if (ct_cancel_raised(query->options.cancel)) status = CT_CANCELLED;
    }
    if (asks && status == CT_OK && ct_query_accepts(query, &view, j))
      status = list_pair(query, &capacity, i, j);
  }
  ct_row_finder_free(finder);
  free(finder);
  return status;
}

/* Lists the accepted pairs, found by ct_broad_pairs or, with frames, as the next frame. */
static ct_status find_pairs(ct_query *query, const boxed_rows *boxed) {
  const ct_query_options *o = &query->options;
  const ct_broad_options options = {query->broadphase, CT_PAIRS_MAX, o->cancel};
  ct_pair_list list = {NULL, 0, 0};
  ct_broad_statistics statistics = {0};
  ct_status status = query->question.frames
                         ? find_frame_pairs(query->question.frames, boxed->boxes, boxed->count,
                                            &options, &list, &statistics)
                         : ct_broad_pairs(boxed->boxes, boxed->count, &options, &list, &statistics);
  if (status == CT_OK) status = accept_pairs(query, &list, boxed->rows);
  if (!query->question.frames) ct_pair_list_free(&list);
  if (status == CT_OK && query->question.frames)
    status = record_frame_pairs(query->question.frames, query->listed, query->listed_count);
  query->listed_tests = statistics.box_tests;
  query->broadphase = statistics.method;
  return status;
}

static ct_status list_by_method(ct_query *query) {
  boxed_rows boxed = {NULL, NULL, 0};
  ct_status status = compute_row_box_array(query);
  if (status == CT_OK && !list_boxed_rows(query, &boxed)) status = CT_OUT_OF_MEMORY;
  if (status == CT_OK) status = find_pairs(query, &boxed);
  query->source = CT_SOURCE_LISTED;
  free(boxed.rows);
  free(boxed.boxes);
  return status;
}

/* ---- preparation ----------------------------------------------------------------------------- */

/* Lists the accepted pairs of the next frame. If `where` selects few bodies, AUTO queries the
 * scene's tree for them, which costs less than listing the pairs of all boxes. */
static ct_status next_frame(ct_query *query) {
  ct_query_frames *frames = query->question.frames;
  const uint8_t *few = query->broadphase == CT_BROADPHASE_AUTO ? few_selected(query) : NULL;
  if (!few) return list_by_method(query);
  query->broadphase = CT_BROADPHASE_TREE;
  ct_status status = derive_tree(query);
  if (status == CT_OK) status = list_few(query, few);
  if (status != CT_OK) return status;
  set_frame_method(frames, query->broadphase, query->listed_tests);
  return record_frame_pairs(frames, query->listed, query->listed_count);
}

bool ct_query_pairs_are_valid(const ct_scene *scene, const ct_row_pair *pairs, size_t count) {
  for (size_t k = 0; k < count; k++)
    if (pairs[k].a == pairs[k].b || pairs[k].a >= scene->rows || pairs[k].b >= scene->rows)
      return false;
  return true;
}

static ct_status prepare_query(ct_query *query) {
  const ct_query_options *o = &query->options;
  if (o->explicit_pairs && !ct_query_pairs_are_valid(query->scene, o->pairs, o->pair_count))
    return CT_LIMIT;
  ct_status status = set_overrides(query);
  if (status != CT_OK) return status;
  /* Choose the broad phase method. */
  query->broadphase = o->broadphase;
  if (query->broadphase == CT_BROADPHASE_AUTO && !query->question.frames)
    query->broadphase =
        query->scene->rows <= BOXES_ROWS_MAX ? CT_BROADPHASE_BRUTE_FORCE : CT_BROADPHASE_TREE;
  /* Explicit pairs need no boxes. */
  if (o->explicit_pairs) {
    query->source = CT_SOURCE_EXPLICIT;
    query->items = o->pair_count;
    return CT_OK;
  }
  query->items = query->scene->rows;
  status = ct_scene_row_filter(query->scene, o->cancel, &query->filter);
  if (status != CT_OK) return status;
  /* All pairs: the source of candidates depends on the method and on `where`. */
  if (query->question.frames) return next_frame(query);
  if (query->broadphase == CT_BROADPHASE_BRUTE_FORCE) {
    query->source = CT_SOURCE_BOXES;
    return compute_row_box_array(query);
  }
  if (query->broadphase != CT_BROADPHASE_TREE && !query->question.distance.nearest)
    return list_by_method(query);
  query->source = CT_SOURCE_TREE;
  if (query->question.distance.nearest)
    return o->override_count > OVERRIDES_MAX ? make_own_tree(query) : derive_tree(query);
  status = derive_tree(query);
  const uint8_t *few = status == CT_OK ? few_selected(query) : NULL;
  return few ? list_few(query, few) : status;
}

static ct_status prepare_question(const ct_scene *scene, const ct_query_options *options,
                                  const ct_query_question *question, ct_query **out) {
  ct_query *query = calloc(1, sizeof *query);
  if (!query) return CT_OUT_OF_MEMORY;
  query->scene = scene;
  query->options = *options;
  query->question = *question;
  ct_status status = prepare_query(query);
  if (status == CT_OK) *out = query;
  else ct_query_destroy(query);
  return status;
}

ct_status ct_query_prepare_pairs(const ct_scene *scene, const ct_query_options *options,
                                 ct_query_frames *frames, ct_query **out) {
  const ct_query_question question = {.kind = CT_QUERY_PAIRS, .frames = frames};
  return prepare_question(scene, options, &question, out);
}

ct_status ct_query_prepare_overlaps(const ct_scene *scene, const ct_query_options *options,
                                    const ct_query_overlap_options *overlap, ct_query **out) {
  ct_query_question question = {.kind = CT_QUERY_OVERLAP};
  if (overlap) question.overlap = *overlap;
  return prepare_question(scene, options, &question, out);
}

ct_status ct_query_prepare_distances(const ct_scene *scene, const ct_query_options *options,
                                     const ct_query_distance_options *distance, ct_query **out) {
  ct_query_question question = {.kind = CT_QUERY_DISTANCE};
  if (distance) question.distance = *distance;
  return prepare_question(scene, options, &question, out);
}

ct_status ct_query_prepare_contacts(const ct_scene *scene, const ct_query_options *options,
                                    const ct_query_contacts_options *contacts, ct_query **out) {
  ct_query_question question = {.kind = CT_QUERY_CONTACTS};
  if (contacts) question.contacts = *contacts;
  return prepare_question(scene, options, &question, out);
}

ct_status ct_query_prepare_volumes(const ct_scene *scene, const ct_query_options *options,
                                   const ct_query_volume_options *volume, ct_query **out) {
  ct_query_question question = {.kind = CT_QUERY_VOLUME};
  if (volume) question.volume = *volume;
  return prepare_question(scene, options, &question, out);
}

ct_status ct_query_prepare_features(const ct_scene *scene, const ct_query_options *options,
                                    const ct_features_options *features, ct_query **out) {
  ct_query_question question = {.kind = CT_QUERY_FEATURES};
  if (features) question.features = *features;
  return prepare_question(scene, options, &question, out);
}

void ct_query_destroy(ct_query *query) {
  if (!query) return;
  free(query->boxes);
  ct_tree_destroy(query->own_tree);
  free(query->overridden);
  free(query->override_boxes);
  free(query->listed);
  free(query);
}

size_t ct_query_items(const ct_query *query) { return query->items; }
ct_broadphase ct_query_broadphase(const ct_query *query) { return query->broadphase; }
