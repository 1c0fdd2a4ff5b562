/* Polls of the cancel flag, counted: this header defines the functions of engine/base/cancel.c for
 * the program that includes it, so the linker does not take them from the library. The flag reads
 * as raised from a chosen poll on, which makes the moment repeatable. Times between polls are
 * compared with the time of the whole work in the same program; each is the shortest of several
 * runs, which all have the same polls, so that a pause of the machine does not count. The work runs
 * in one thread. */
#ifndef TESTS_POLLS_H
#define TESTS_POLLS_H

#include "tests/support/check.h"

#include <contact/contact.h>
#include <time.h>

enum {
  POLLS_RUNS = 3,    /* runs of which the shortest time between two polls counts */
  POLLS_MOMENTS = 6, /* polls, spread over the work, at which the flag is raised */
  /* Polls that may follow the one that reads the flag as raised: callers poll, too. */
  POLLS_AFTER = 8,
};

/* Longest part of the work between two polls, or from the raised flag to the return. */
#define POLLS_SHARE 0.15

struct ct_cancel {
  bool raised; /* by ct_cancel_raise */
};

static struct {
  long count;    /* polls so far in this run */
  long raise_at; /* number of the poll that reads the flag as raised; 0: none does */
  double last;   /* time of the previous poll, s */
  double *gaps;  /* [room]: time before each poll, s; the shortest of all runs so far */
  long room;
} polls;

ct_cancel *ct_cancel_create(void) { return calloc(1, sizeof(ct_cancel)); }
void ct_cancel_raise(ct_cancel *cancel) { cancel->raised = true; }
void ct_cancel_destroy(ct_cancel *cancel) { free(cancel); }

/* Processor time of the calling thread, s. */
static inline double polls_clock(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Ends the gap before poll `polls.count`. */
static inline void polls_end_gap(void) {
  double now = polls_clock();
  if (polls.count >= polls.room) {
    long room = polls.room ? 2 * polls.room : 4096;
    polls.gaps = realloc(polls.gaps, (size_t)room * sizeof *polls.gaps);
    CHECK(polls.gaps != NULL);
    for (long i = polls.room; i < room; i++) polls.gaps[i] = INFINITY;
    polls.room = room;
  }
  polls.gaps[polls.count] = fmin(polls.gaps[polls.count], now - polls.last);
  polls.last = now;
}

bool ct_cancel_raised(const ct_cancel *cancel) {
  if (!cancel) return false;
  polls_end_gap();
  polls.count++;
  return cancel->raised || (polls.raise_at && polls.count >= polls.raise_at);
}

/* The work: passes the flag on, checks its results, and returns its status. */
typedef ct_status (*polls_work)(void *context, ct_cancel *cancel);

typedef struct poll_times {
  long polls;     /* of one run */
  double whole;   /* sum of the gaps, s */
  double longest; /* longest gap, s */
  double end;     /* time from the last poll to the return, s */
} poll_times;

/* Runs the work with the flag raised at poll `raise_at`. All runs have the same polls, and the
 * status `expected`. */
static inline poll_times polls_measure(polls_work work, void *context, long raise_at,
                                       ct_status expected) {
  poll_times times = {0};
  for (long i = 0; i < polls.room; i++) polls.gaps[i] = INFINITY;
  for (int run = 0; run < POLLS_RUNS; run++) {
    ct_cancel *cancel = ct_cancel_create();
    polls.count = 0, polls.raise_at = raise_at, polls.last = polls_clock();
    CHECK_INT(work(context, cancel), expected);
    polls_end_gap();
    if (run > 0) CHECK_INT(polls.count, times.polls);
    times.polls = polls.count;
    ct_cancel_destroy(cancel);
  }
  for (long i = 0; i <= times.polls; i++) {
    times.whole += polls.gaps[i];
    times.longest = fmax(times.longest, polls.gaps[i]);
  }
  times.end = polls.gaps[times.polls];
  polls.raise_at = 0;
  return times;
}

static inline void polls_check_gaps(const poll_times *times, double whole) {
  if (times->longest > POLLS_SHARE * whole)
    CHECK_FAIL("%.3g ms between two of %ld polls; the whole takes %.3g ms", 1e3 * times->longest,
               times->polls, 1e3 * whole);
}

/* After the poll `raise_at`: a few polls, and a share of `whole` seconds. */
static inline void polls_check_end(const poll_times *cut, long raise_at, double whole) {
  if (cut->polls < raise_at || cut->polls - raise_at > POLLS_AFTER ||
      cut->end > POLLS_SHARE * whole)
    CHECK_FAIL("flag at poll %ld of %ld: %.3g ms after the last, the whole takes %.3g ms", raise_at,
               cut->polls, 1e3 * cut->end, 1e3 * whole);
}

/* For work that completes with the status `at_rest` while the flag is down: it polls throughout,
 * and stops at any poll. reference: time of a longer work on as much input, s, for work that is
 * little more than a few passes over its input; else 0. */
static inline void polls_check_stops(polls_work work, void *context, ct_status at_rest,
                                     double reference) {
  poll_times whole = polls_measure(work, context, 0, at_rest);
  whole.whole = fmax(whole.whole, reference);
  polls_check_gaps(&whole, whole.whole);
  CHECK(whole.polls >= POLLS_MOMENTS);
  for (long k = 0; k < POLLS_MOMENTS; k++) {
    long raise_at = 1 + k * (whole.polls - 1) / (POLLS_MOMENTS - 1);
    poll_times cut = polls_measure(work, context, raise_at, CT_CANCELLED);
    polls_check_end(&cut, raise_at, whole.whole);
  }
}

/* For work that takes too long to complete: raises the flag at a poll after its first steps. */
static inline void polls_check_long_stop(polls_work work, void *context, long raise_at) {
  poll_times begun = polls_measure(work, context, raise_at, CT_CANCELLED);
  polls_check_gaps(&begun, begun.whole);
  polls_check_end(&begun, raise_at, begun.whole);
}

#endif
