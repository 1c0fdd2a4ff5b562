/* Linear programs in fraction-free integer arithmetic: does A x = b have a solution x >= 0, and
 * which?
 *
 * Phase one of the simplex method with Bland's rule, which terminates. The tableau contains
 * integers over one common denominator, the last pivot; all divisions are exact (Edmonds 1967;
 * Bareiss 1968). A product that does not fit into 128 bits ends the program with EXACT_OVERFLOW,
 * never with an answer. */
#ifndef ORACLE_EXACT_PROGRAM_H
#define ORACLE_EXACT_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>

__extension__ typedef __int128 exact_wide;

enum { EXACT_ROWS = 16, EXACT_COLUMNS = 48 };

typedef enum exact_answer { EXACT_NO, EXACT_YES, EXACT_OVERFLOW } exact_answer;

typedef struct exact_program {
  size_t rows, columns;
  long long a[EXACT_ROWS][EXACT_COLUMNS], b[EXACT_ROWS];
  bool positive[EXACT_COLUMNS]; /* YES: which x are nonzero at the vertex found */
} exact_program;

typedef struct exact_tableau {
  size_t rows, columns; /* the last column is b; the last row is the sum of the remaining
                           infeasibility of b */
  exact_wide cell[EXACT_ROWS + 1][EXACT_COLUMNS + 1], denominator;
  size_t basis[EXACT_ROWS]; /* EXACT_COLUMNS and above: artificial variables */
} exact_tableau;

static inline void exact_fill(exact_tableau *t, const exact_program *p) {
  *t = (exact_tableau){.rows = p->rows, .columns = p->columns, .denominator = 1};
  for (size_t i = 0; i < p->rows; i++) {
    long long sign = p->b[i] < 0 ? -1 : 1;
    t->basis[i] = EXACT_COLUMNS + i;
    for (size_t j = 0; j <= p->columns; j++) {
      t->cell[i][j] = sign * (j < p->columns ? p->a[i][j] : p->b[i]);
      t->cell[p->rows][j] += t->cell[i][j];
    }
  }
}

/* (x y - z w) / denominator. False: the result does not fit. */
static inline bool exact_cross(exact_wide x, exact_wide y, exact_wide z, exact_wide w,
                               exact_wide denominator, exact_wide *out) {
  exact_wide left, right, apart;
  if (__builtin_mul_overflow(x, y, &left) || __builtin_mul_overflow(z, w, &right) ||
      __builtin_sub_overflow(left, right, &apart))
    return false;
  *out = apart / denominator;
  return true;
}

static inline bool exact_pivot(exact_tableau *t, size_t row, size_t column) {
  exact_wide pivot = t->cell[row][column];
  for (size_t i = 0; i <= t->rows; i++) {
    exact_wide factor = t->cell[i][column];
    for (size_t j = 0; j <= t->columns && i != row; j++)
      if (!exact_cross(t->cell[i][j], pivot, factor, t->cell[row][j], t->denominator,
                       &t->cell[i][j]))
        return false;
  }
  t->denominator = pivot;
  t->basis[row] = column;
  return true;
}

/* The row that limits the growth of a column's variable: the least b / entry; ties go to the lowest
 * basic variable. */
static inline size_t exact_limit(const exact_tableau *t, size_t column, bool *overflow) {
  size_t best = t->rows;
  for (size_t i = 0; i < t->rows; i++) {
    if (t->cell[i][column] <= 0) continue;
    exact_wide apart = -1;
    if (best < t->rows && !exact_cross(t->cell[i][t->columns], t->cell[best][column],
                                       t->cell[best][t->columns], t->cell[i][column], 1, &apart))
      *overflow = true;
    if (apart < 0 || (apart == 0 && t->basis[i] < t->basis[best])) best = i;
  }
  return best;
}

static inline exact_answer exact_solve(exact_program *p) {
  exact_tableau t;
  exact_fill(&t, p);
  for (;;) {
    size_t column = 0;
    while (column < t.columns && t.cell[t.rows][column] <= 0) column++;
    if (column == t.columns) break;
    bool overflow = false;
    size_t row = exact_limit(&t, column, &overflow);
    if (overflow || row == t.rows || !exact_pivot(&t, row, column)) return EXACT_OVERFLOW;
  }
  for (size_t j = 0; j < p->columns; j++) p->positive[j] = false;
  for (size_t i = 0; i < t.rows; i++)
    if (t.basis[i] < EXACT_COLUMNS) p->positive[t.basis[i]] = t.cell[i][t.columns] > 0;
  return t.cell[t.rows][t.columns] == 0 ? EXACT_YES : EXACT_NO;
}

/* True if A x = b, x >= 0 has only one solution. Call after EXACT_YES. The columns of the vertex's
 * positive x are independent, so another solution is greater in some other column: A d = 0 then has
 * a solution d that is >= 0 in the other columns and sums to 1 over them. */
static inline exact_answer exact_is_single(const exact_program *p) {
  exact_program q = {.rows = p->rows + 1, .columns = p->columns};
  for (size_t j = 0; j < p->columns; j++) {
    for (size_t i = 0; i < p->rows; i++) q.a[i][j] = p->a[i][j];
    q.a[p->rows][j] = !p->positive[j];
    if (!p->positive[j]) continue;
    for (size_t i = 0; i < p->rows; i++) q.a[i][q.columns] = -p->a[i][j];
    q.columns++;
  }
  q.b[p->rows] = 1;
  exact_answer another = exact_solve(&q);
  if (another == EXACT_OVERFLOW) return EXACT_OVERFLOW;
  return another == EXACT_YES ? EXACT_NO : EXACT_YES;
}

#endif
