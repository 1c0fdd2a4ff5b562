/* Sweep over suspended connections, which libmicrohttpd neither watches nor times out.
 *
 * One poll(2) over their sockets finds clients that have left, including half-closed ones; the same
 * pass finds expired deadlines. The timer runs only while a connection is suspended. */
#include "state/request.h"

#include <assert.h>

void srv_sweep_remove(srv_server *server, srv_request *request) {
  assert(server->suspended_count > 0 && server->suspended[request->suspended_at] == request);
  srv_request *last = server->suspended[--server->suspended_count];
  server->suspended[request->suspended_at] = last;
  last->suspended_at = request->suspended_at;
}

void srv_request_time_out(srv_request *request) {
  uint64_t deadline_ns = atomic_load_explicit(&request->deadline_ns, memory_order_relaxed);
  srv_request_refuse(request, API_PROBLEM_DEADLINE_EXCEEDED,
                     "The request was not done after %llu ms; nothing has changed.%s",
                     (unsigned long long)((deadline_ns - request->arrived_ns) / 1000000u),
                     request->hint);
  srv_request_wake(request, SRV_STATE_READY);
  srv_job_cancel(request);
}

/* Ends requests whose client has left or whose deadline has passed. */
static void sweep_suspended(srv_server *server) {
  size_t count = server->suspended_count;
  if (count == 0) return;
  uint64_t now_ns = uv_hrtime();
  for (size_t i = 0; i < count; i++)
    server->polled[i] =
        (struct pollfd){.fd = server->suspended[i]->connection->fd, .events = POLLRDHUP};
  int ready = poll(server->polled, count, 0);

  /* Iterate from the end: removing a request moves the last one, already inspected, into its place.
   * Ending a request may end others (a write releases its slot), so the index is checked again. */
  for (size_t i = count; i-- > 0;) {
    if (i >= server->suspended_count) continue;
    srv_request *request = server->suspended[i];
    uint64_t deadline_ns = atomic_load_explicit(&request->deadline_ns, memory_order_relaxed);
    if (ready > 0 && request->connection->fd == server->polled[i].fd &&
        (server->polled[i].revents & (POLLRDHUP | POLLHUP | POLLERR | POLLNVAL))) {
      srv_request_wake(request, SRV_STATE_GONE);
      srv_job_cancel(request);
    } else if (deadline_ns && now_ns >= deadline_ns && !request->storing) {
      srv_request_time_out(request);
    }
  }
}

static void on_sweep(uv_timer_t *handle) {
  srv_server *server = handle->data;
  sweep_suspended(server);
  /* no suspended connection is left: let the loop sleep */
  if (server->suspended_count == 0) uv_timer_stop(handle);
}

void srv_sweep_add(srv_server *server, srv_request *request) {
  assert(server->suspended_count < server->limits->connections);
  request->suspended_at = server->suspended_count;
  server->suspended[server->suspended_count++] = request;
  if (!uv_is_active((uv_handle_t *)&server->sweep))
    uv_timer_start(&server->sweep, on_sweep, SRV_SWEEP_MS, SRV_SWEEP_MS);
}
