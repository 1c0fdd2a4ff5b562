/* Sweep over the suspended connections, which libmicrohttpd neither watches nor times out.
 *
 * One poll(2) over their sockets finds clients that have disconnected or closed their sending side;
 * the same pass finds expired deadlines. The timer runs only while a connection is suspended. */
#include "jobs/job.h"
#include "run/run.h"
#include "streams/progress_stream.h"

void srv_sweep_tick(srv_server *server) {
  size_t count = server->suspended_count;
  if (count == 0) return;
  uint64_t now_ns = uv_hrtime();
  for (size_t i = 0; i < count; i++) server->polled[i].fd = server->suspended[i]->connection->fd;
  bool any_left = srv_server_poll_clients(server, count);

  /* Iterate from the end: when a request is removed, the last one, which was inspected already,
   * moves into its place. Ending a request may end others (a write releases its slot), so the index
   * is checked again. */
  for (size_t i = count; i-- > 0;) {
    if (i >= server->suspended_count) continue;
    srv_request *request = server->suspended[i];
    assert(request->suspended_place == i + 1);
    if (any_left && request->connection->fd == server->polled[i].fd &&
        srv_server_has_left(server, i)) {
      srv_request_wake(request, SRV_STATE_GONE);
      srv_job_cancel(request);
    } else if (srv_job_is_overdue(request, now_ns)) {
      srv_job_time_out(request);
    }
  }
}
