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

/* Default of `threshold`, the area ratio: a contact whose area is a smaller fraction of an adjacent
 * contact's area is removed. */
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
  uint32_t piece_a, piece_b; /* convex piece of each body in contact: an element or a collider */
  /* unique number; of two duplicates, the contact with the greater id stays */
  uint32_t id;
  /* true: the contact persists from an earlier time and is never removed */
  bool carried;
  bool area_defined; /* false: the area is unknown, and the area rules ignore the contact */
  double area;       /* m^2, >= 0 */
  ct_vec3 position;  /* world, m; finite */
} ct_sparse_contact;

typedef struct ct_sparsify_options {
  double threshold; /* greatest removed ratio of the areas of two adjacent contacts, in [0, 1] */
  double min_area;  /* contacts of smaller area are removed, m^2, >= 0 */
  /* two contacts are duplicates if their points differ by less than 2 min_distance on every axis;
   * m, >= 0 */
  double min_distance;
  /* True if two different pieces of a body are adjacent (elements: share a node). Symmetric; a
   * piece is adjacent to itself. NULL: no two pieces are adjacent. */
  bool (*adjacent)(void *context, uint32_t body, uint32_t piece, uint32_t other);
  void *context;
  const ct_cancel *cancel; /* NULL: never */
} ct_sparsify_options;
/* Defaults: all members 0 or NULL, with which nothing is removed. */
ct_sparsify_options ct_sparsify_options_default(void);

/* Writes the outcome of each contact to out[count]. If several rules apply to a contact, the first
 * in the order of ct_sparsified is reported. A contact removed by an area rule is no duplicate of
 * another, so one of two coincident contacts stays. The outcome does not depend on the order of
 * contacts; sparsifying the result again removes nothing. If threshold, min_area and min_distance
 * are 0, nothing is removed.
 * CT_OUT_OF_MEMORY, CT_CANCELLED: `out` is unspecified.
 * Cost: O(n log n), plus, for each contact smaller than threshold times its bodies' largest area, a
 * search over the pieces of larger contacts. Duplicates are found in a spatial grid, so coincident
 * contacts cost no more than separate ones. */
ct_status ct_sparsify(const ct_sparse_contact *contacts, size_t count,
                      const ct_sparsify_options *options, ct_sparsified *out);

CT_DECLARATIONS_END

#endif
