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

/* Limit from the flag to the return, s of processor time: polls are some ms apart at most; the rest
 * is for sanitizers. */
#define RAISER_SOON 0.1

static inline double read_work_clock(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Processor time of the calling thread, s. */
static inline double work_seconds(void) { return read_work_clock(CLOCK_THREAD_CPUTIME_ID); }

typedef struct raiser {
  ct_cancel *cancel;
  /* Of the working thread. The clock of the process is read late by other threads: by up to a tick
   * of the scheduler, which a busy virtual machine delays. */
  clockid_t clock;
  double due;           /* s of the clock */
  double before, after; /* time just before and after the flag was raised */
  atomic_bool over;     /* the work has ended */
  pthread_t thread;
} raiser;

static inline void *raiser_run(void *context) {
  raiser *r = context;
  while (!atomic_load(&r->over) && read_work_clock(r->clock) < r->due)
    nanosleep(&(struct timespec){0, 500000}, NULL);
  r->before = read_work_clock(r->clock);
  ct_cancel_raise(r->cancel);
  r->after = read_work_clock(r->clock);
  return NULL;
}

/* Raises the flag after `wait` seconds of the thread's processor time. */
static inline void raiser_start(raiser *r, double wait) {
  r->cancel = ct_cancel_create();
  CHECK_INT(pthread_getcpuclockid(pthread_self(), &r->clock), 0);
  r->due = work_seconds() + wait;
  r->before = r->after = 0.0;
  atomic_init(&r->over, false);
  CHECK_INT(pthread_create(&r->thread, NULL, raiser_run, r), 0);
}

/* Call when the work has ended: the processor time after the flag, s; negative if the work ended
 * before the flag. The scheduler may stop this thread between the two readings while the work goes
 * on, so only time after the second one certainly follows the flag. Releases the flag. */
static inline double raiser_end(raiser *r) {
  double end = work_seconds();
  atomic_store(&r->over, true);
  CHECK_INT(pthread_join(r->thread, NULL), 0);
  ct_cancel_destroy(r->cancel);
  if (end < r->before) return end - r->before;
  return end > r->after ? end - r->after : 0.0;
}

/* For work that must have been ended by the flag. */
static inline void raiser_end_soon(raiser *r) {
  double late = raiser_end(r);
  if (late < 0.0) CHECK_FAIL("the work was over before the flag was raised");
  if (late > RAISER_SOON) CHECK_FAIL("returned %g ms of work after the flag", 1e3 * late);
}

#endif
