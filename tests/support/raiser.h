/* A flag that its own thread raises during work, and the time that the work takes after it. Times
 * are process time, so that other load on the machine does not count; the thread takes next to
 * none. */
#ifndef TESTS_RAISER_H
#define TESTS_RAISER_H

#include "tests/support/check.h"

#include <contact/contact.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

/* Limit from the flag to the return, s of process time: polls are some ms apart at most; the rest
 * is for sanitizers. */
#define RAISER_SOON 0.1

static inline double work_seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

typedef struct raiser {
  ct_cancel *cancel;
  double due, raised; /* s of process time */
  atomic_bool over;   /* the work has ended */
  pthread_t thread;
} raiser;

static inline void *raiser_run(void *context) {
  raiser *r = context;
  while (!atomic_load(&r->over) && work_seconds() < r->due)
    nanosleep(&(struct timespec){0, 500000}, NULL);
  r->raised = work_seconds();
  ct_cancel_raise(r->cancel);
  return NULL;
}

/* Raises the flag after `wait` seconds of process time. */
static inline void raiser_start(raiser *r, double wait) {
  r->cancel = ct_cancel_create();
  r->due = work_seconds() + wait;
  r->raised = 0.0;
  atomic_init(&r->over, false);
  CHECK_INT(pthread_create(&r->thread, NULL, raiser_run, r), 0);
}

/* Call when the work has ended: the process time after the flag, s; negative if the work ended
 * before the flag. Releases the flag. */
static inline double raiser_end(raiser *r) {
  double end = work_seconds();
  atomic_store(&r->over, true);
  CHECK_INT(pthread_join(r->thread, NULL), 0);
  ct_cancel_destroy(r->cancel);
  return end - r->raised;
}

/* For work that must have been ended by the flag. */
static inline void raiser_end_soon(raiser *r) {
  double late = raiser_end(r);
  if (late < 0.0) CHECK_FAIL("the work was over before the flag was raised");
  if (late > RAISER_SOON) CHECK_FAIL("returned %g ms of work after the flag", 1e3 * late);
}

#endif
