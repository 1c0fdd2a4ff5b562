/* Sparsification: which of many contacts can be left out, and why. Contacts of bodies made of many convex pieces are often more
 * than the bodies' motion can use, and those of slivers at corners point in unnatural directions.
 *
 * The rules are those of Solfec 1.0 (T. Koziara, "Contact points", section "Contact sparsification"), with one change: pieces are
 * looked at on both bodies of a pair, where Solfec's code reaches its first body alone.
 */
#ifndef CONTACT_SPARSIFY_H
#define CONTACT_SPARSIFY_H

#include <contact/cancel.h>
#include <contact/linkage.h>
#include <contact/status.h>
#include <contact/vec.h>

CT_DECLARATIONS_BEGIN

/* Ratio of areas below which a contact beside a larger one goes, where the caller asks for nothing else. */
#define CT_SPARSIFY_THRESHOLD 0.01

typedef enum ct_sparsified {
  CT_KEPT,
  CT_REMOVED_AREA,           /* its area is below min_area */
  CT_REMOVED_ADJACENT_RATIO, /* its area is below threshold times that of a contact of the same two bodies on an adjacent piece */
  CT_REMOVED_DUPLICATE       /* its point is another contact's, which stays */
} ct_sparsified;

typedef struct ct_sparse_contact {
  uint32_t body_a, body_b;   /* any numbers; which of the two is a does not matter */
  uint32_t piece_a, piece_b; /* convex piece of each body that makes the contact: an element, or a collider */
  uint32_t id;               /* each once; of two duplicates the one of the greater id stays */
  bool carried;              /* over from a moment before: never removed */
  bool area_defined;         /* else the rules of areas leave it alone, and others beside it */
  double area;               /* m^2, >= 0 */
  ct_vec3 position;          /* world, m; finite */
} ct_sparse_contact;

typedef struct ct_sparsify_options {
  double threshold;    /* in [0, 1] */
  double min_area;     /* m^2, >= 0 */
  double min_distance; /* m, >= 0; points are one where they differ by less than twice this on every axis */
  /* Are two different pieces of one body adjacent? Elements: they share a node. Symmetric; a piece is adjacent to itself.
   * NULL: no two different pieces are. */
  bool (*adjacent)(void *context, uint32_t body, uint32_t piece, uint32_t other);
  void *context;
  const ct_cancel *cancel; /* NULL: never */
} ct_sparsify_options;
/* Defaults: zeros: nothing is removed. */
ct_sparsify_options ct_sparsify_options_default(void);

/* Writes to out[count] what becomes of each contact: the rule that removes it, the first in the order of the enumeration where
 * several do. A contact that a rule of areas removes is nobody's duplicate, so that of two in one place one stays. The outcome does
 * not depend on the order in which contacts stand; on what it keeps, it removes nothing; with all three numbers zero it removes
 * nothing.
 * CT_OUT_OF_MEMORY, CT_CANCELLED: out is in any state. Cost: O(n log n), and for each contact of less than threshold times the
 * largest area of its two bodies a look at the larger ones' pieces; duplicates are found in cells of space, so that many in one
 * place cost no more than as many apart. */
ct_status ct_sparsify(const ct_sparse_contact *contacts, size_t count, const ct_sparsify_options *options, ct_sparsified *out);

CT_DECLARATIONS_END

#endif
