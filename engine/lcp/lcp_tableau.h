/* A linear complementarity problem as a dictionary: each of n basic variables is a constant plus a
 * linear combination of the n + 1 nonbasic variables. The variables are those of w = M z + q + d
 * z0. Rows and columns are scaled by powers of two so that the greatest entry of each is of the
 * order of 1: no bit of M or q changes, and tolerances have no unit. Entries are doubles or
 * double-doubles.
 *
 * Only the columns of nonbasic variables are stored, so a pivot costs n^2. They contain the rows of
 * the inverse of the basis' matrix that the lexicographic rule needs (Cottle, Pang, Stone 2009,
 * sections 2.3 and 4.9). */
#ifndef LCP_LCP_TABLEAU_H
#define LCP_LCP_TABLEAU_H

#include "base/double_double.h"
#include "lcp/lcp_job.h"

#include <assert.h>

/* Variables have numbers: w_i is i, z_i is n + i, z0 is 2 n. */
typedef struct ct_tableau {
  size_t size;        /* n */
  size_t stride;      /* n + 2: columns of the n + 1 nonbasic variables, then the constants */
  size_t rows;        /* n, or n + 1 with the objective as last row */
  double *high, *low; /* [rows stride] entries; low is NULL if they are doubles */
  uint32_t *basic;    /* [n] basic variable of each row */
  uint32_t *column;   /* [n + 1] nonbasic variable of each column */
  uint32_t *place;    /* [2 n + 1] position of each variable: its row if basic, else n + its
                         column */
  double *row_scale, *column_scale; /* [n] powers of two that rows and columns were multiplied by */
  bool beyond;       /* the entries or q exceed the range of scaling: signs of small values are
                        unreliable */
  double q_size;     /* largest |q| in the scaled rows: the unit of the constants */
  uint32_t *ties;    /* [n] scratch of the ratio test: rows that tie */
  double *pivot_row; /* [2 stride] scratch of a pivot */
} ct_tableau;

enum { CT_TABLEAU_OBJECTIVE = 1, CT_TABLEAU_WIDE = 2 };

/* Allocates a tableau for the job's problem and computes its scales. Flags: CT_TABLEAU_OBJECTIVE
 * adds the row of the objective, CT_TABLEAU_WIDE selects double-doubles. False: out of memory. */
bool ct_tableau_create(ct_tableau *t, const ct_lcp_job *job, unsigned flags);
/* Fills the dictionary with all w basic, and every z and z0 nonbasic (zero). `cover` [n] > 0 is d
 * for the unscaled rows; NULL: all 1. `lift` is added to every scaled entry of M. */
void ct_tableau_fill(ct_tableau *t, const ct_lcp_job *job, const double *cover, double lift);

static inline ct_dd ct_tableau_at(const ct_tableau *t, size_t row, size_t column) {
  size_t k = row * t->stride + column;
  return (ct_dd){t->high[k], t->low ? t->low[k] : 0.0};
}
static inline size_t ct_tableau_constants(const ct_tableau *t) { return t->size + 1; }
static inline uint32_t ct_tableau_z0(const ct_tableau *t) { return (uint32_t)(2 * t->size); }
static inline bool ct_tableau_is_basic(const ct_tableau *t, uint32_t variable) {
  return t->place[variable] < t->size;
}
static inline size_t ct_tableau_column(const ct_tableau *t, uint32_t variable) {
  assert(!ct_tableau_is_basic(t, variable));
  return t->place[variable] - t->size;
}

/* Adds the basic variable of a row to the objective, expressed by the nonbasic variables. */
void ct_tableau_add_to_objective(ct_tableau *t, size_t row);

/* Pivots: the basic variable of the row becomes nonbasic, the variable of the column basic.
 * Constants that are round-off become 0. */
void ct_tableau_pivot(ct_tableau *t, size_t row, size_t column);

/* Returns the row whose variable reaches zero first when the column's variable increases; t->size
 * if none does. Ties: z0 if it is among them, else by the lexicographic rule. */
size_t ct_tableau_leaving(const ct_tableau *t, size_t column);
/* Returns the row in which z0 must become basic so that no constant is negative: the row of [q, I]
 * / d that is least in lexicographic order. t->size if no constant is negative. */
size_t ct_tableau_first(const ct_tableau *t);

/* Writes z of the dictionary in the caller's units; negative entries become 0. */
void ct_tableau_solution(const ct_tableau *t, double *z);

/* ---- linear programs: z >= 0 with M z + q >= 0, some z fixed at 0 --------------------------- */

/* Minimises the objective over all nonnegative variables. `barred` [n]: z_j is fixed at 0; NULL:
 * none is. False: cancelled, or more than ct_lcp_simplex_limit pivots; the value of the objective
 * is then only an upper bound of the minimum. */
bool ct_lcp_simplex(ct_tableau *t, const bool *barred, const ct_cancel *cancel);
static inline uint64_t ct_lcp_simplex_limit(size_t n) { return 50 * (uint64_t)n + 1000; }

/* Makes z0 basic if a constant is negative; then none is. */
void ct_lcp_simplex_begin(ct_tableau *t);

#endif
