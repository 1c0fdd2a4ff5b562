/* One Newton step in the making: friction_newton.c asks, friction_ordering.c puts in order,
 * friction_band.c solves. */
#ifndef FRICTION_FRICTION_NEWTON_H
#define FRICTION_FRICTION_NEWTON_H

#include "friction/friction.h"

/* Places of contacts that have none among the active: they are open; not looked at yet; in a queue.
 */
#define CT_NEWTON_OPEN UINT32_MAX
#define CT_NEWTON_WAITS (UINT32_MAX - 1)
#define CT_NEWTON_QUEUED (UINT32_MAX - 2)

/* What one active contact asks of the step: V du + R dr = rhs. */
typedef struct ct_newton_equations {
  double v[9], r[9], rhs[3];
  bool sticks;
} ct_newton_equations;

typedef struct ct_newton {
  ct_friction_work *w;
  ct_triple *from, *step;     /* [contacts] */
  uint32_t *place, *degree;   /* [contacts] number among the active; active neighbours */
  uint32_t *active, *queue;   /* [contacts], of which count */
  ct_newton_equations *asked; /* [contacts] of contacts, where active */
  bool *slips; /* [contacts] taken as sliding, whatever r - rho u says, until a step helps */
  double *matrix, *rhs;      /* [3 count width], [3 count], which becomes the solution */
  size_t count, band, width; /* band: rows that a row reaches to either side; of a row of the
                                matrix: see ct_newton_at */
  double damping, residual;  /* of w->r */
  int worse;                 /* steps that made it so */
} ct_newton;

/* Entry i, j of the matrix: a row begins `band` left of its diagonal and ends, with what exchanges
 * of rows bring in, 2 band right.
 */
static inline double *ct_newton_at(const ct_newton *n, size_t i, size_t j) {
  return n->matrix + i * n->width + (j + n->band - i);
}

/* Puts the active contacts in order; the number of contacts that one reaches to either side. */
size_t ct_newton_order(ct_newton *newton);
/* The solution, in rhs. False: cancelled, or none. */
bool ct_newton_eliminate(ct_newton *newton);

#endif
