/* Polls of the cancel flag: when the flag is read, and that a raised flag is noticed in time. */
#include "base/poll.h"
#include "tests/support/check.h"

/* Counts `steps` in each call until the flag is read. Returns the number of calls. */
static unsigned count_calls_until_read(ct_poll *poll, uint64_t steps) {
  ct_cancel *raised = ct_cancel_create();
  ct_cancel_raise(raised);
  poll->cancel = raised;
  unsigned calls = 1;
  while (!ct_poll_cancelled(poll, steps)) calls++;
  poll->cancel = NULL;
  ct_cancel_destroy(raised);
  return calls;
}

static void the_flag_is_read_at_once_and_then_once_per_interval(void) {
  ct_poll poll = ct_poll_start(NULL, 10);
  CHECK_INT(count_calls_until_read(&poll, 1), 1);
  CHECK_INT(count_calls_until_read(&poll, 1), 10);
  CHECK_INT(count_calls_until_read(&poll, 1), 10);
  CHECK_INT(count_calls_until_read(&poll, 4), 3);
  CHECK_INT(count_calls_until_read(&poll, 10), 1);
}

static void a_later_start_reads_the_flag_after_one_interval(void) {
  ct_poll poll = ct_poll_start_later(NULL, 10);
  CHECK_INT(count_calls_until_read(&poll, 1), 10);
  CHECK_INT(count_calls_until_read(&poll, 1), 10);
}

static void a_caller_may_count_its_steps_itself(void) {
  ct_poll poll = ct_poll_start(NULL, 10);
  CHECK(ct_poll_is_due(&poll, 5));
  CHECK(!ct_poll_is_due(&poll, 5));
  CHECK(!ct_poll_is_due(&poll, 14));
  CHECK(ct_poll_is_due(&poll, 18));
  CHECK(!ct_poll_is_due(&poll, 27));
  CHECK(ct_poll_is_due(&poll, 28));
  CHECK(!ct_poll_cancelled_at(&poll, (uint64_t)1 << 40));
  CHECK(ct_poll_is_due(&poll, ((uint64_t)1 << 40) + 10));
}

static void a_raised_flag_is_noticed_within_an_interval(void) {
  ct_cancel *cancel = ct_cancel_create();
  ct_poll poll = ct_poll_start(cancel, 8);
  for (int k = 0; k < 100; k++) CHECK(!ct_poll_cancelled(&poll, 1));
  ct_cancel_raise(cancel);
  int calls = 1;
  while (!ct_poll_cancelled(&poll, 1)) calls++;
  CHECK(calls <= 8);
  ct_poll fresh = ct_poll_start(cancel, 8), later = ct_poll_start_later(cancel, 8);
  CHECK(ct_poll_cancelled(&fresh, 1));
  CHECK(!ct_poll_cancelled(&later, 7));
  CHECK(ct_poll_cancelled(&later, 1));
  ct_cancel_destroy(cancel);
}

static void a_poll_without_a_flag_is_never_cancelled(void) {
  ct_poll poll = ct_poll_start(NULL, 1);
  for (int k = 0; k < 100; k++) CHECK(!ct_poll_cancelled(&poll, 1));
}

static const check_test tests[] = {
    {"the_flag_is_read_at_once_and_then_once_per_interval",
     the_flag_is_read_at_once_and_then_once_per_interval},
    {"a_later_start_reads_the_flag_after_one_interval",
     a_later_start_reads_the_flag_after_one_interval},
    {"a_caller_may_count_its_steps_itself", a_caller_may_count_its_steps_itself},
    {"a_raised_flag_is_noticed_within_an_interval", a_raised_flag_is_noticed_within_an_interval},
    {"a_poll_without_a_flag_is_never_cancelled", a_poll_without_a_flag_is_never_cancelled},
};
CHECK_MAIN(tests)
