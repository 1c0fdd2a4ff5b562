/* Factor L D L' in panels of four rows; see ldl.h. */
#include "linear/ldl.h"

#include "linear/dense.h"

#include <assert.h>
#include <string.h>

enum { PANEL = CT_LDL_PANEL, BLOCK = PANEL * PANEL };

/* The entries of one column in the four rows of a panel. */
typedef struct column {
  ct_two a, b;
} column;

static inline column load_column(const double *from) {
  return (column){ct_two_load(from), ct_two_load(from + 2)};
}

static inline void store_column(double *to, column c) {
  ct_two_store(to, c.a);
  ct_two_store(to + 2, c.b);
}

static inline column subtract_column(column c, column d, double times) {
  ct_two t = {times, times};
  return (column){c.a - d.a * t, c.b - d.b * t};
}

static inline column scale_column(column c, double times) {
  ct_two t = {times, times};
  return (column){c.a * t, c.b * t};
}

bool ct_ldl_make(ct_ldl *f, size_t capacity, ct_arena *arena) {
  size_t panels = (capacity + PANEL - 1) / PANEL;
  f->first = ct_arena_alloc(arena, 2 * panels, sizeof *f->first);
  f->start = f->first ? f->first + panels : NULL;
  f->inverse = ct_arena_alloc_doubles(arena, PANEL * panels);
  f->values = ct_arena_alloc_doubles(arena, BLOCK * panels * (panels + 1) / 2);
  return f->first && f->inverse && f->values;
}

/* Copies the entries of panel b from the matrix. Rows behind the last row of the submatrix are
 * those of the unit matrix. */
static void copy_panel(ct_ldl *f, const ct_ldl_part *part, size_t b) {
  size_t top = PANEL * b, rows = part->count - top < PANEL ? part->count - top : PANEL, first = top;
  for (size_t r = 0; r < rows; r++) {
    size_t from = part->place[part->low[part->rows[top + r]]];
    if (from < first) first = from / PANEL * PANEL;
  }
  f->first[b] = first;
  f->start[b] = b ? f->start[b - 1] + PANEL * (top - f->first[b - 1]) : 0;
  double *panel = f->values + f->start[b];
  size_t end = top + rows;
  for (size_t r = 0; r < rows; r++) {
    const double *row = part->m + part->rows[top + r] * part->stride;
    for (size_t k = first; k < end; k++) panel[PANEL * (k - first) + r] = row[part->rows[k]];
    panel[PANEL * (top + r - first) + r] *= 1.0 - part->shift;
  }
  for (size_t r = rows; r < PANEL; r++) {
    for (size_t k = first; k < top + PANEL; k++) panel[PANEL * (k - first) + r] = 0.0;
    for (size_t k = 0; k < PANEL; k++) panel[PANEL * (top + r - first) + k] = 0.0;
    panel[PANEL * (top + r - first) + r] = 1.0;
  }
}

/* Computes L D of panel b in the four columns that correspond to panel c, from earlier columns. */
static void eliminate_panel(const ct_ldl *f, double *panel, size_t b, size_t c) {
  size_t from = f->first[b] > f->first[c] ? f->first[b] : f->first[c], end = PANEL * c;
  double *at = panel + PANEL * (end - f->first[b]);
  const double *mine = panel + PANEL * (from - f->first[b]),
               *other = f->values + f->start[c] + PANEL * (from - f->first[c]);
  column c0 = load_column(at), c1 = load_column(at + 4), c2 = load_column(at + 8),
         c3 = load_column(at + 12);
  for (size_t k = from; k < end; k++, mine += PANEL, other += PANEL) {
    column v = load_column(mine);
    c0 = subtract_column(c0, v, other[0]);
    c1 = subtract_column(c1, v, other[1]);
    c2 = subtract_column(c2, v, other[2]);
    c3 = subtract_column(c3, v, other[3]);
  }
  c1 = subtract_column(c1, c0, other[1]);
  c2 = subtract_column(subtract_column(c2, c0, other[2]), c1, other[6]);
  c3 = subtract_column(subtract_column(subtract_column(c3, c0, other[3]), c1, other[7]), c2,
                       other[11]);
  store_column(at, c0);
  store_column(at + 4, c1);
  store_column(at + 8, c2);
  store_column(at + 12, c3);
}

/* Returns 1 / pivot for the pivot `left` of a row with the diagonal entry `whole`; 0 if the row is
 * dependent, which is counted. */
static double invert_pivot(ct_ldl *f, double left, double whole, double small) {
  f->least = left < f->least * whole ? left / whole : f->least;
  if (left > small * whole) return 1.0 / left;
  f->dependent++;
  return 0.0;
}

/* Divides L D of panel b by D, which gives L, and factors its diagonal block. */
static void factor_panel(ct_ldl *f, double *panel, size_t b, double small) {
  size_t first = f->first[b], top = PANEL * b;
  double *v = panel, *inverse = f->inverse;
  double *at = panel + PANEL * (top - first), *own = inverse + top;
  /* Columns before the diagonal block. */
  const double whole[PANEL] = {at[0], at[5], at[10], at[15]};
  column c0 = load_column(at), c1 = load_column(at + 4), c2 = load_column(at + 8),
         c3 = load_column(at + 12);
  for (size_t k = first; k < top; k++, v += PANEL) {
    column scaled_down = load_column(v), l = scale_column(scaled_down, inverse[k]);
    store_column(v, l);
    c0 = subtract_column(c0, scaled_down, l.a[0]);
    c1 = subtract_column(c1, scaled_down, l.a[1]);
    c2 = subtract_column(c2, scaled_down, l.b[0]);
    c3 = subtract_column(c3, scaled_down, l.b[1]);
  }
  /* The diagonal block. */
  own[0] = invert_pivot(f, c0.a[0], whole[0], small);
  column l0 = scale_column(c0, own[0]);
  c1 = subtract_column(c1, c0, l0.a[1]);
  c2 = subtract_column(c2, c0, l0.b[0]);
  c3 = subtract_column(c3, c0, l0.b[1]);
  own[1] = invert_pivot(f, c1.a[1], whole[1], small);
  column l1 = scale_column(c1, own[1]);
  c2 = subtract_column(c2, c1, l1.b[0]);
  c3 = subtract_column(c3, c1, l1.b[1]);
  own[2] = invert_pivot(f, c2.b[0], whole[2], small);
  column l2 = scale_column(c2, own[2]);
  c3 = subtract_column(c3, c2, l2.b[1]);
  own[3] = invert_pivot(f, c3.b[1], whole[3], small);
  store_column(at, l0);
  store_column(at + 4, l1);
  store_column(at + 8, l2);
  store_column(at + 12, c3);
}

void ct_ldl_factor(ct_ldl *f, const ct_ldl_part *part) {
  assert(part->small >= 0.0 && part->shift >= 0.0);
  f->count = part->count;
  f->panels = (part->count + PANEL - 1) / PANEL;
  f->dependent = 0;
  f->least = 1.0;
  for (size_t b = 0; b < f->panels; b++) {
    copy_panel(f, part, b);
    double *panel = f->values + f->start[b];
    for (size_t c = f->first[b] / PANEL; c < b; c++) eliminate_panel(f, panel, b, c);
    factor_panel(f, panel, b, part->small);
    if (part->shift > 0.0 && f->dependent > 0) return;
  }
}

void ct_ldl_solve(const ct_ldl *f, double *x) {
  /* Solve L y = x. */
  for (size_t b = 0; b < f->panels; b++) {
    const double *v = f->values + f->start[b];
    column sum = load_column(x + PANEL * b);
    for (size_t k = f->first[b]; k < PANEL * b; k++, v += PANEL)
      sum = subtract_column(sum, load_column(v), x[k]);
    double *own = x + PANEL * b;
    own[0] = sum.a[0];
    own[1] = sum.a[1] - v[1] * own[0];
    own[2] = sum.b[0] - v[2] * own[0] - v[6] * own[1];
    own[3] = sum.b[1] - v[3] * own[0] - v[7] * own[1] - v[11] * own[2];
  }
  /* Solve D y = x. */
  for (size_t i = 0; i < PANEL * f->panels; i++) x[i] *= f->inverse[i];
  /* Solve L' y = x. */
  for (size_t b = f->panels; b-- > 0;) {
    const double *panel = f->values + f->start[b], *v = panel + PANEL * (PANEL * b - f->first[b]);
    double *own = x + PANEL * b;
    own[2] -= v[11] * own[3];
    own[1] -= v[6] * own[2] + v[7] * own[3];
    own[0] -= v[1] * own[1] + v[2] * own[2] + v[3] * own[3];
    column of = load_column(own);
    for (size_t k = f->first[b]; k < PANEL * b; k++, panel += PANEL) {
      column l = load_column(panel);
      ct_two sums = l.a * of.a + l.b * of.b;
      x[k] -= sums[0] + sums[1];
    }
  }
}
