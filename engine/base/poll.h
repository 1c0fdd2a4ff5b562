/* Polls of the cancel flag: a long computation counts its steps, and the flag is read once per
 * `interval` steps.
 *
 *   ct_poll poll = ct_poll_start(cancel, STEPS_PER_POLL);
 *   for (size_t i = 0; i < count; i++) {
 *     if (ct_poll_cancelled(&poll, 1)) return CT_CANCELLED;
 *     ...
 *   }
 *
 * A call costs one addition and one comparison. A loop that counts its steps anyway passes their
 * number to ct_poll_cancelled_at, which needs no addition. An interval begins with the number of
 * steps at which the flag is read: excess steps are not carried over.
 */
#ifndef BASE_POLL_H
#define BASE_POLL_H

#include <contact/base.h>

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct ct_poll {
  const ct_cancel *cancel; /* may be NULL */
  uint64_t interval;       /* number of steps between two reads of the cancel flag */
  uint64_t count;          /* number of steps so far, counted by ct_poll_cancelled */
  uint64_t next;           /* the flag is read when `count` reaches this */
} ct_poll;

/* Starts polls of which the first call reads the flag. */
static inline ct_poll ct_poll_start(const ct_cancel *cancel, uint64_t interval) {
  assert(interval > 0);
  return (ct_poll){.cancel = cancel, .interval = interval};
}

/* Starts polls that read the flag after `interval` steps, for computations that are often shorter
 * and have callers that poll, too. */
static inline ct_poll ct_poll_start_later(const ct_cancel *cancel, uint64_t interval) {
  assert(interval > 0);
  return (ct_poll){.cancel = cancel, .interval = interval, .next = interval};
}

/* True once per interval: the caller reads the flag now. count: number of steps, never less than in
 * the previous call. */
static inline bool ct_poll_is_due(ct_poll *poll, uint64_t count) {
  if (count < poll->next) return false;
  assert(poll->interval > 0);
  poll->next = count + poll->interval;
  return true;
}

/* As ct_poll_is_due, and reads the flag. True: it is raised. */
static inline bool ct_poll_cancelled_at(ct_poll *poll, uint64_t count) {
  return ct_poll_is_due(poll, count) && ct_cancel_raised(poll->cancel);
}

/* Counts `steps`. True: the flag was read and is raised. */
static inline bool ct_poll_cancelled(ct_poll *poll, uint64_t steps) {
  poll->count += steps;
  return ct_poll_cancelled_at(poll, poll->count);
}

#endif
