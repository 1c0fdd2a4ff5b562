/* Evaluates a query with sparsified contacts: finds all contacts, sparsifies them, and reports the
 * hits that remain. */
#include "base/array.h"
#include "query/query.h"

#include <stdlib.h>

/* A copy of a hit, stored until all hits are known. Its contact is in this struct and its triangles
 * in run->triangles, which may be reallocated: the pointers of `hit` are set when it is
 * reported. */
typedef struct kept_hit {
  ct_volume_hit hit;
  ct_volume_contact contact;
  ct_volume_total total; /* if has_total */
  size_t first_triangle;
  bool has_contact, has_total;
} kept_hit;

/* A convex piece of a body: an element of a mesh of elements, or a whole collider. */
typedef ct_contact_side piece;

typedef struct sparse_run {
  const ct_query *query;
  ct_workspace *workspace;
  kept_hit *hits;
  size_t count, capacity;
  ct_volume_triangle *triangles;
  size_t triangle_count, triangle_capacity;
  ct_status status; /* first error while storing hits */
  piece *pieces;    /* sorted, without duplicates */
  size_t piece_count;
  ct_contact_name *present; /* names of the contacts in the previous result, each with its lower
                               piece first, sorted */
} sparse_run;

/* ---- storing hits ---------------------------------------------------------------------------- */

static ct_status store_hit(sparse_run *run, const ct_volume_hit *hit) {
  size_t more = hit->contact ? hit->contact->triangle_count : 0;
  size_t bytes =
      (run->count + 1) * sizeof *run->hits + (run->triangle_count + more) * sizeof *run->triangles;
  if (bytes > run->query->question.volume.sparsify->bytes_max) return CT_LIMIT;
  if (!ct_array_reserve(&run->hits, &run->capacity, run->count + 1, sizeof *run->hits) ||
      !ct_array_reserve(&run->triangles, &run->triangle_capacity, run->triangle_count + more,
                        sizeof *run->triangles))
    return CT_OUT_OF_MEMORY;
  kept_hit *k = &run->hits[run->count++];
  *k = (kept_hit){
      .hit = *hit, .first_triangle = run->triangle_count, .has_contact = hit->contact != NULL};
  k->hit.list = NULL;
  if (hit->contact) k->contact = *hit->contact;
  k->has_total = hit->total != NULL;
  if (hit->total) k->total = *hit->total;
  for (size_t i = 0; i < more; i++) run->triangles[run->triangle_count++] = hit->triangles[i];
  return CT_OK;
}

static bool receive_hit(void *context, const ct_volume_hit *hit) {
  sparse_run *run = context;
  run->status = store_hit(run, hit);
  return run->status == CT_OK;
}

/* ---- pieces --------------------------------------------------------------------------------- */

static int compare_numbers(uint32_t p, uint32_t q) { return (p > q) - (p < q); }

static int compare_pieces(const void *a, const void *b) {
  const piece *p = a, *q = b;
  int order = compare_numbers(p->row, q->row);
  if (!order) order = compare_numbers(p->collider, q->collider);
  return order ? order : compare_numbers(p->element, q->element);
}

static piece piece_a(const kept_hit *k) {
  return (piece){k->hit.a, k->hit.collider_a, k->contact.element_a};
}
static piece piece_b(const kept_hit *k) {
  return (piece){k->hit.b, k->hit.collider_b, k->contact.element_b};
}

static bool list_pieces_of_hits(sparse_run *run) {
  run->pieces = malloc((2 * run->count + 1) * sizeof *run->pieces);
  if (!run->pieces) return false;
  size_t all = 0;
  for (size_t i = 0; i < run->count; i++) {
    if (!run->hits[i].has_contact) continue;
    run->pieces[all++] = piece_a(&run->hits[i]);
    run->pieces[all++] = piece_b(&run->hits[i]);
  }
  if (all > 0) qsort(run->pieces, all, sizeof *run->pieces, compare_pieces);
  for (size_t i = 0; i < all; i++)
    if (run->piece_count == 0 ||
        compare_pieces(&run->pieces[run->piece_count - 1], &run->pieces[i]) != 0)
      run->pieces[run->piece_count++] = run->pieces[i];
  return true;
}

static uint32_t piece_number(const sparse_run *run, piece p) {
  size_t low = 0, high = run->piece_count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (compare_pieces(&run->pieces[middle], &p) < 0) low = middle + 1;
    else high = middle;
  }
  return (uint32_t)low;
}

static ct_frame frame_in_body(const ct_body *body, uint32_t collider) {
  const ct_pose *pose = ct_body_shape_pose(body, collider);
  return ct_frame_of(pose ? *pose : ct_pose_identity());
}

/* True if two colliders of a body touch at their poses in the body. */
static bool colliders_touch(const sparse_run *run, const ct_body *body, uint32_t i, uint32_t j) {
  ct_frame frame_i = frame_in_body(body, i), frame_j = frame_in_body(body, j);
  return ct_pair_overlap((ct_placed){ct_body_shape(body, i), &frame_i},
                         (ct_placed){ct_body_shape(body, j), &frame_j}, run->workspace, NULL);
}

/* True if two pieces of a body are adjacent. A whole mesh of elements (a piece if the other body is
 * curved) is adjacent to each of its elements. */
static bool are_pieces_adjacent(void *context, uint32_t row, uint32_t number, uint32_t other) {
  const sparse_run *run = context;
  const piece *p = &run->pieces[number], *q = &run->pieces[other];
  const ct_body *body = ct_scene_body_at(run->query->scene, row);
  bool whole_p = p->element == CT_NO_ELEMENT, whole_q = q->element == CT_NO_ELEMENT;
  if (p->collider == q->collider && (whole_p || whole_q)) return true;
  if (p->collider == q->collider)
    return ct_elements_adjacent(ct_elements_get(ct_body_shape(body, p->collider)->elements),
                                p->element, q->element);
  return whole_p && whole_q && colliders_touch(run, body, p->collider, q->collider);
}

/* ---- contacts present in the previous result ------------------------------------------------- */

static ct_contact_name contact_name_of(piece a, piece b) {
  return compare_pieces(&a, &b) <= 0 ? (ct_contact_name){a, b} : (ct_contact_name){b, a};
}

static int compare_contact_names(const void *a, const void *b) {
  const ct_contact_name *p = a, *q = b;
  int order = compare_pieces(&p->a, &q->a);
  return order ? order : compare_pieces(&p->b, &q->b);
}

static bool list_present(sparse_run *run) {
  const ct_query_sparsify *s = run->query->question.volume.sparsify;
  run->present = malloc((s->present_count + 1) * sizeof *run->present);
  if (!run->present) return false;
  for (size_t i = 0; i < s->present_count; i++)
    run->present[i] = contact_name_of(s->present[i].a, s->present[i].b);
  if (s->present_count > 0)
    qsort(run->present, s->present_count, sizeof *run->present, compare_contact_names);
  return true;
}

static bool was_present(const sparse_run *run, const kept_hit *k) {
  size_t count = run->query->question.volume.sparsify->present_count;
  const ct_contact_name name = contact_name_of(piece_a(k), piece_b(k));
  return count > 0 &&
         bsearch(&name, run->present, count, sizeof name, compare_contact_names) != NULL;
}

/* ---- sparsifying ---------------------------------------------------------------------------- */

static ct_status sparsify_hits(sparse_run *run) {
  const ct_query_options *o = &run->query->options;
  ct_sparse_contact *contacts = malloc((run->count + 1) * sizeof *contacts);
  ct_sparsified *outcome = malloc((run->count + 1) * sizeof *outcome);
  ct_status status = contacts && outcome && list_pieces_of_hits(run) && list_present(run)
                         ? CT_OK
                         : CT_OUT_OF_MEMORY;
  /* Convert the hits that have a contact to the input of ct_sparsify. */
  size_t count = 0;
  for (size_t i = 0; i < run->count && status == CT_OK; i++) {
    const kept_hit *k = &run->hits[i];
    if (!k->has_contact) continue;
    contacts[count] = (ct_sparse_contact){.body_a = k->hit.a,
                                          .body_b = k->hit.b,
                                          .piece_a = piece_number(run, piece_a(k)),
                                          .piece_b = piece_number(run, piece_b(k)),
                                          .id = (uint32_t)count,
                                          .carried = was_present(run, k),
                                          .area_defined = k->contact.area_defined,
                                          .area = k->contact.area,
                                          .position = k->contact.position};
    count++;
  }
  /* Sparsify them, and write the outcome back to the hits. */
  if (status == CT_OK) {
    const ct_query_sparsify *s = run->query->question.volume.sparsify;
    ct_sparsify_options options = {s->threshold,        s->min_area, s->min_distance,
                                   are_pieces_adjacent, run,         o->cancel};
    status = ct_sparsify(contacts, count, &options, outcome);
  }
  if (status == CT_OK && ct_workspace_out_of_memory(run->workspace)) status = CT_OUT_OF_MEMORY;
  for (size_t i = 0, c = 0; i < run->count && status == CT_OK; i++)
    if (run->hits[i].has_contact) run->hits[i].hit.sparsified = outcome[c++];
  free(contacts);
  free(outcome);
  return status;
}

/* ---- reporting ------------------------------------------------------------------------------- */

/* True if the hit is in the range and after the last hit of the previous page. */
static bool is_wanted(const ct_query *query, const ct_query_range *range,
                      const ct_volume_hit *hit) {
  if (hit->position.item < range->begin || hit->position.item >= range->end) return false;
  if (hit->position.item > range->begin) return true;
  if (query->source == CT_SOURCE_EXPLICIT) return hit->position.part > range->part;
  if (range->after == CT_NO_ROW || hit->b > range->after) return true;
  return hit->b == range->after && range->part > 0 && hit->position.part > range->part;
}

static void report_hits(const sparse_run *run, const ct_query_range *range, ct_volume_sink sink,
                        void *context) {
  for (size_t i = 0; i < run->count; i++) {
    ct_volume_hit hit = run->hits[i].hit;
    if (!is_wanted(run->query, range, &hit)) continue;
    hit.contact = run->hits[i].has_contact ? &run->hits[i].contact : NULL;
    hit.total = run->hits[i].has_total ? &run->hits[i].total : NULL;
    hit.triangles = run->triangles + run->hits[i].first_triangle;
    if (!sink(context, &hit)) return;
  }
}

ct_status ct_query_run_sparse(const ct_query *query, const ct_query_range *range,
                              ct_workspace *workspace, ct_volume_sink sink, void *context,
                              ct_range_statistics *statistics) {
  sparse_run run = {.query = query, .workspace = workspace};
  ct_query plain = *query;
  plain.question.volume.sparsify = NULL;
  const ct_query_range whole = {0, query->items, CT_NO_ROW, 0};
  ct_status status = ct_query_run_volumes(&plain, &whole, workspace, receive_hit, &run, statistics);
  if (status == CT_OK) status = run.status;
  if (status == CT_OK) status = sparsify_hits(&run);
  if (status == CT_OK) report_hits(&run, range, sink, context);
  free(run.hits);
  free(run.triangles);
  free(run.pieces);
  free(run.present);
  return status;
}
