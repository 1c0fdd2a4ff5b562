/* Sparsification of contacts: drops small contacts beside larger ones by area, then duplicates at
 * one place, found by a spatial hash grid. */
#include <contact/sparsify.h>

#include <math.h>
#include <stdlib.h>

/* Number of contacts tested between two polls of the cancel flag. */
#define CONTACTS_PER_POLL 512
/* Edge length of a grid cell relative to the margin min_distance. It is below 1, so that two points
 * of one cell are duplicates despite round-off; a duplicate is at most CELLS_NEAR cells away on
 * each axis. */
#define CELL_PART 0.75
#define CELLS_NEAR 2.0
/* Least edge length of a cell relative to the largest coordinate: cell coordinates are then far
 * below 2^53, and exact as doubles. */
#define CELL_REACH 0x1p-40

/* ---- rules of areas ------------------------------------------------------------------------- */

/* The largest contact area of two bodies on one piece of one of them. */
typedef struct piece_area {
  uint32_t low,
      high; /* the lower and the higher row of the two bodies; equal for contacts within a body */
  uint32_t side; /* 0: `piece` belongs to body `low`, 1: to body `high` */
  uint32_t piece;
  double area;
} piece_area;

static int order_u32(uint32_t p, uint32_t q) { return (p > q) - (p < q); }
static int order_double(double p, double q) { return (p > q) - (p < q); }

static int compare_piece_sides(const piece_area *p, const piece_area *q) {
  int order = order_u32(p->low, q->low);
  if (!order) order = order_u32(p->high, q->high);
  return order ? order : order_u32(p->side, q->side);
}

/* Compares by bodies, side and piece, then by descending area: the largest area of each piece comes
 * first. */
static int order_by_piece(const void *a, const void *b) {
  const piece_area *p = a, *q = b;
  int order = compare_piece_sides(p, q);
  if (!order) order = order_u32(p->piece, q->piece);
  return order ? order : order_double(q->area, p->area);
}

/* Compares by bodies and side, then by descending area, then by piece. */
static int order_by_area(const void *a, const void *b) {
  const piece_area *p = a, *q = b;
  int order = compare_piece_sides(p, q);
  if (!order) order = order_double(q->area, p->area);
  return order ? order : order_u32(p->piece, q->piece);
}

/* Returns the contact's area and its piece on the lower body (side 0) or the higher one (side
 * 1). */
static piece_area piece_of(const ct_sparse_contact *c, uint32_t side) {
  bool a_low = c->body_a <= c->body_b;
  return (piece_area){a_low ? c->body_a : c->body_b, a_low ? c->body_b : c->body_a, side,
                      a_low == (side == 0) ? c->piece_a : c->piece_b, c->area};
}

/* Lists the pieces of all contacts with an area, each once with its largest area, sorted by
 * order_by_area. Returns their number; `entries` must have room for 2 count items. */
static size_t list_pieces_by_area(const ct_sparse_contact *contacts, size_t count,
                                  piece_area *entries) {
  size_t all = 0, kept = 0;
  for (size_t i = 0; i < count; i++) {
    if (!contacts[i].area_defined) continue;
    entries[all++] = piece_of(&contacts[i], 0);
    entries[all++] = piece_of(&contacts[i], 1);
  }
  if (all > 0) qsort(entries, all, sizeof *entries, order_by_piece);
  for (size_t i = 0; i < all; i++)
    if (kept == 0 || compare_piece_sides(&entries[kept - 1], &entries[i]) != 0 ||
        entries[kept - 1].piece != entries[i].piece)
      entries[kept++] = entries[i];
  if (kept > 0) qsort(entries, kept, sizeof *entries, order_by_area);
  return kept;
}

/* True if the same or an adjacent piece of this side has a contact so large that own->area is below
 * threshold times its area. */
static bool is_beside_larger(const piece_area *entries, size_t count, const piece_area *own,
                             const ct_sparsify_options *o) {
  uint32_t body = own->side ? own->high : own->low;
  size_t low = 0, high = count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (compare_piece_sides(&entries[middle], own) < 0) low = middle + 1;
    else high = middle;
  }
  for (size_t i = low; i < count && compare_piece_sides(&entries[i], own) == 0 &&
                       own->area < o->threshold * entries[i].area;
       i++)
    if (entries[i].piece == own->piece ||
        (o->adjacent && o->adjacent(o->context, body, entries[i].piece, own->piece)))
      return true;
  return false;
}

static ct_status mark_areas(const ct_sparse_contact *contacts, size_t count,
                            const ct_sparsify_options *o, ct_sparsified *out) {
  piece_area *entries = malloc((2 * count + 1) * sizeof *entries);
  if (!entries) return CT_OUT_OF_MEMORY;
  size_t pieces = list_pieces_by_area(contacts, count, entries);
  ct_status status = CT_OK;
  for (size_t i = 0; i < count && status == CT_OK; i++) {
    const ct_sparse_contact *c = &contacts[i];
    out[i] = CT_KEPT;
    if (i % CONTACTS_PER_POLL == 0 && ct_cancel_raised(o->cancel)) status = CT_CANCELLED;
    if (c->carried || !c->area_defined) continue;
    piece_area own[2] = {piece_of(c, 0), piece_of(c, 1)};
    if (c->area < o->min_area) out[i] = CT_REMOVED_AREA;
    else if (is_beside_larger(entries, pieces, &own[0], o) ||
             is_beside_larger(entries, pieces, &own[1], o))
      out[i] = CT_REMOVED_ADJACENT_RATIO;
  }
  free(entries);
  return status;
}

/* ---- duplicates ----------------------------------------------------------------------------- */

/* A contact in a grid cell. Each contact is stored twice, once for each of its bodies. */
typedef struct celled {
  uint32_t body;
  double x, y, z; /* integer coordinates of the cell */
  const ct_sparse_contact *contact;
} celled;

static int order_by_cell(const celled *p, const celled *q) {
  int order = order_u32(p->body, q->body);
  if (!order) order = order_double(p->x, q->x);
  if (!order) order = order_double(p->y, q->y);
  return order ? order : order_double(p->z, q->z);
}

/* Compares by cell; within a cell contacts of the previous result come first, then higher ids: they
 * replace the others. */
static int order_by_cell_and_rank(const void *a, const void *b) {
  const celled *p = a, *q = b;
  int order = order_by_cell(p, q);
  if (!order) order = (int)q->contact->carried - (int)p->contact->carried;
  return order ? order : order_u32(q->contact->id, p->contact->id);
}

typedef struct cells {
  celled *items;
  size_t count;
  double size, margin;
  double threshold;
} cells;

static celled cell_of_contact(const cells *at, const ct_sparse_contact *c, uint32_t body) {
  const ct_vec3 p = c->position;
  return (celled){body, floor(p.x / at->size), floor(p.y / at->size), floor(p.z / at->size), c};
}

static size_t first_not_before(const cells *at, const celled *key) {
  size_t low = 0, high = at->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (order_by_cell(&at->items[middle], key) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

/* True if contact c is a duplicate of k: k has precedence, c is not small beside it by area, and
 * their positions differ by less than the margin on each axis. Both share a body. */
static bool makes_duplicate(const cells *at, const ct_sparse_contact *k,
                            const ct_sparse_contact *c) {
  if (k == c || !(k->carried || k->id > c->id)) return false;
  if (c->area_defined && k->area_defined && c->area < at->threshold * k->area) return false;
  ct_vec3 d = ct_sub(k->position, c->position);
  return fabs(d.x) < at->margin && fabs(d.y) < at->margin && fabs(d.z) < at->margin;
}

/* True if a contact in the cells with key's x and y and with z from key->z to `last` makes
 * key->contact a duplicate. */
static bool has_duplicate_in_column(const cells *at, const celled *key, double last) {
  for (size_t i = first_not_before(at, key); i < at->count; i++) {
    const celled *k = &at->items[i];
    if (k->body != key->body || k->x != key->x || k->y != key->y || k->z > last) break;
    if (makes_duplicate(at, k->contact, key->contact)) return true;
  }
  return false;
}

/* True if another contact of `body` in the contact's cell or a neighbouring cell makes it a
 * duplicate. Its own cell is tested first: among many contacts at one place the first one of the
 * cell replaces the rest. */
static bool is_duplicate(const cells *at, const ct_sparse_contact *c, uint32_t body) {
  const celled own = cell_of_contact(at, c, body);
  if (has_duplicate_in_column(at, &own, own.z)) return true;
  for (double x = -CELLS_NEAR; x <= CELLS_NEAR; x++) {
    for (double y = -CELLS_NEAR; y <= CELLS_NEAR; y++) {
      const celled key = {body, own.x + x, own.y + y, own.z - CELLS_NEAR, c};
      if (has_duplicate_in_column(at, &key, own.z + CELLS_NEAR)) return true;
    }
  }
  return false;
}

static ct_status mark_duplicates(const ct_sparse_contact *contacts, size_t count,
                                 const ct_sparsify_options *o, ct_sparsified *out) {
  double reach = 0.0;
  for (size_t i = 0; i < count; i++) {
    const ct_vec3 p = contacts[i].position;
    reach = fmax(reach, fmax(fabs(p.x), fmax(fabs(p.y), fabs(p.z))));
  }
  cells at = {malloc((2 * count + 1) * sizeof *at.items), 0, 0.0, 2.0 * o->min_distance,
              o->threshold};
  if (!at.items) return CT_OUT_OF_MEMORY;
  at.size = fmax(CELL_PART * at.margin, CELL_REACH * reach);
  for (size_t i = 0; i < count; i++) {
    if (out[i] != CT_KEPT) continue;
    at.items[at.count++] = cell_of_contact(&at, &contacts[i], contacts[i].body_a);
    at.items[at.count++] = cell_of_contact(&at, &contacts[i], contacts[i].body_b);
  }
  if (at.count > 0) qsort(at.items, at.count, sizeof *at.items, order_by_cell_and_rank);
  ct_status status = CT_OK;
  for (size_t i = 0; i < count && status == CT_OK; i++) {
    const ct_sparse_contact *c = &contacts[i];
    if (i % CONTACTS_PER_POLL == 0 && ct_cancel_raised(o->cancel)) status = CT_CANCELLED;
    if (c->carried || out[i] != CT_KEPT) continue;
    if (is_duplicate(&at, c, c->body_a) || is_duplicate(&at, c, c->body_b))
      out[i] = CT_REMOVED_DUPLICATE;
  }
  free(at.items);
  return status;
}

ct_status ct_sparsify(const ct_sparse_contact *contacts, size_t count,
                      const ct_sparsify_options *options, ct_sparsified *out) {
  ct_status status = mark_areas(contacts, count, options, out);
  if (status == CT_OK && options->min_distance > 0.0)
    status = mark_duplicates(contacts, count, options, out);
  return status;
}
