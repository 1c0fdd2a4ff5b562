/* Group commit: decides how long the writer waits for more writes before a sync.
 *
 * The writer is woken at the end of a loop iteration, when all writes of that iteration are queued.
 * Woken by the first write, it would sync only this one; clients that write, wait for the answer
 * and write again would then form two groups, each of which waits for the syncs of both. After a
 * sync, the writer therefore waits for the next writes of the clients just answered, at most half
 * the duration of a sync and GROUP_WAIT_MAX_NS.
 *
 * If waiting has no benefit, because the writes do not arrive in time or would not all fit into one
 * sync, it is skipped for 1, 3, 7, ... syncs. Two alternating groups then have more throughput. To
 * let them form, the writer is also woken within an iteration that has lasted for half the duration
 * of a sync. */
#include "store/store_sqlite.h"

/* Largest number of transactions without a wait between two attempts to wait. */
#define ALONE_MAX 63u

/* Longest wait for further writes, ns: half a sync of a slow disk. After a sync of seconds (a
 * stalled disk), the clients just answered may have left, and new ones must not wait for them. */
#define GROUP_WAIT_MAX_NS 20000000u

void srv_group_commit_note_answered(srv_group_commit *c, size_t answered, size_t queued,
                                    uint64_t began_ns, uint64_t now_ns) {
  c->group_ns = (c->group_ns + now_ns - began_ns) / 2;
  c->answered = answered;
  c->all = answered + queued;
  c->answered_ns = now_ns;
}

bool srv_group_commit_should_wait(srv_group_commit *c) {
  if (c->alone == 0) return true;
  c->alone--;
  return false;
}

uint64_t srv_group_commit_wait_ns(const srv_group_commit *c, size_t queued, uint64_t now_ns) {
  uint64_t until_ns =
      c->answered_ns + (c->group_ns / 2 < GROUP_WAIT_MAX_NS ? c->group_ns / 2 : GROUP_WAIT_MAX_NS);
  return queued < c->all && now_ns < until_ns ? until_ns - now_ns : 0;
}

void srv_group_commit_note_arrived(srv_group_commit *c, size_t queued, uint64_t now_ns) {
  bool pays = queued >= c->all && (now_ns - c->answered_ns) * c->all < c->group_ns * c->answered;
  if (pays) c->alone_last = 0;
  else c->alone_last = c->alone_last < ALONE_MAX ? 2 * c->alone_last + 1 : ALONE_MAX;
  c->alone = c->alone_last;
}
