/* Sparsification of contacts: removes redundant contacts of bodies made of many convex pieces. Such
 * bodies often have more contacts than their motion needs, and slivers at corners have unnatural
 * normals.
 *
 * The rules are from Solfec 1.0 (T. Koziara, "Contact points", section "Contact sparsification"),
 * with one change: pieces of both bodies of a pair are considered, not only of the first. */
#ifndef CONTACT_SPARSIFY_H
#define CONTACT_SPARSIFY_H

#include <contact/base.h>
#include <contact/vec.h>

CT_DECLARATIONS_BEGIN

/* Default area ratio: smaller contacts beside a larger one are removed. */
#define CT_SPARSIFY_THRESHOLD 0.01

typedef enum ct_sparsified {
  CT_KEPT,
  CT_REMOVED_AREA, /* area < min_area */
  /* area < threshold * area of a contact of the same bodies on an adjacent piece */
  CT_REMOVED_ADJACENT_RATIO,
  CT_REMOVED_DUPLICATE /* its point coincides with the point of a contact that stays */
} ct_sparsified;

typedef struct ct_sparse_contact {
  uint32_t body_a, body_b;   /* any numbers; the order of both is irrelevant */
  uint32_t piece_a, piece_b; /* convex piece of each body: an element or a collider */
  uint32_t id;               /* unique; of two duplicates the greater id stays */
  bool carried;              /* persists from an earlier time: never removed */
  bool area_defined;         /* false: area rules ignore the contact */
  double area;               /* m^2, >= 0 */
  ct_vec3 position;          /* world, m; finite */
} ct_sparse_contact;

typedef struct ct_sparsify_options {
  double threshold; /* in [0, 1] */
  double min_area;  /* m^2, >= 0 */
  /* m, >= 0: points coincide if they differ by less than twice this on every axis */
  double min_distance;
  /* True if two different pieces of a body are adjacent (elements: share a node). Symmetric; a
   * piece is adjacent to itself. NULL: no two pieces are adjacent. */
  bool (*adjacent)(void *context, uint32_t body, uint32_t piece, uint32_t other);
  void *context;
  const ct_cancel *cancel; /* NULL: never */
} ct_sparsify_options;
/* Defaults: zeros: nothing is removed. */
ct_sparsify_options ct_sparsify_options_default(void);

/* Writes the outcome of each contact to out[count]; if several rules apply, the first of the
 * enumeration. A contact removed by an area rule is no duplicate of another, so one of two
 * coincident contacts stays. The outcome is independent of the order of contacts and idempotent; if
 * all three numbers are zero, nothing is removed.
 * CT_OUT_OF_MEMORY, CT_CANCELLED: out is unspecified.
 * Cost: O(n log n); per contact smaller than threshold times its bodies' largest area, a search
 * over the pieces of larger contacts. Duplicates are found in a spatial grid, so coincident
 * contacts cost no more than separate ones. */
ct_status ct_sparsify(const ct_sparse_contact *contacts, size_t count,
                      const ct_sparsify_options *options, ct_sparsified *out);

CT_DECLARATIONS_END

#endif
