/* Event streams (server-sent events, WHATWG HTML section 9.2), and the rings that they read.
 *
 * A stream sends, in this order: the reconnection time (`retry`); the scene's state, unless the
 * client resumes with Last-Event-ID; the ring's events from the stream's position on; the end, when
 * the scene is deleted or the daemon shuts down. If the ring no longer has the next event, `reset`
 * replaces all events that the stream has missed.
 *
 * Without a shared store, writes of this daemon fill the ring (srv_stream_publish). With one, the
 * store numbers and delivers the events of all daemons; a ring then exists only while a stream of
 * this daemon reads it. A new stream gets its position when the ring has received all events that
 * were published before the stream was opened. */
#include "streams/event_stream.h"

#include "scenes/event_payload.h"

#include <assert.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Size of a stream's socket send buffer, B. Bytes that the client has not read beyond it count as
 * the stream's backlog. */
#define SEND_BUFFER_BYTES 32768
/* Seconds after which a client that was refused may try again. */
#define RETRY_SECONDS "5"

typedef enum srv_stream_end {
  STREAM_RUNS,
  STREAM_ENDING, /* its last event is being sent */
  STREAM_ENDED,  /* all bytes are sent */
  STREAM_DROPPED /* the connection is cut */
} srv_stream_end;

struct srv_stream {
  srv_stream *next, *previous;
  srv_request *request;
  srv_ring *ring; /* ring from which the stream reads its scene's events, and in which it is counted
                     as a listener */
  char contact_state[CT_ID_LENGTH_MAX + 1];
  enum {
    HAS_NO_ID,
    HAS_NUMBER,
    HAS_OTHER_ID
  } last_event_id;     /* what the client has sent as Last-Event-ID */
  uint64_t last_event; /* HAS_NUMBER: the number in Last-Event-ID */
  bool has_position;   /* `position` is set */
  bool moved;          /* the stream was moved to a new ring after the end of its first one */
  uint64_t ticket;     /* ring with a subscription: `position` is set when on_caught_up reports this
                          ticket */
  uint64_t position;   /* number of the next event of the ring that is inspected */
  bool sends_retry;    /* `retry` must still be sent */
  bool sends_state;    /* `revision` must be sent before events of the ring */
  bool has_missed;     /* `reset` must be sent before events of the ring */
  bool beats;          /* a heartbeat is due */
  bool suspended;
  srv_stream_end end;
  const char *bytes; /* remaining bytes of the text that is being sent */
  size_t left;
  srv_event *event; /* event to which `bytes` belongs, retained; NULL: static text */
  uint64_t unread;  /* number of bytes of events that were added to the ring for this stream since
                       its client last read */
  uint64_t sent;    /* number of bytes passed to libmicrohttpd */
  uint64_t sent_ns; /* time at which bytes were last passed to libmicrohttpd */
};

/* Subscription of a ring to its scene's events in the shared store. */
typedef struct ring_subscription {
  srv_store_subscription
      store_subscription; /* must be first: the ring's `subscription` is this address */
  srv_server *server;
  srv_ring *ring;
} ring_subscription;

uint64_t srv_stream_bytes(const srv_stream *stream) { return stream->sent; }

static bool is_addressed_to(const srv_stream *stream, const char *contact_state) {
  return !contact_state || strcmp(stream->contact_state, contact_state) == 0;
}

/* ---- rings ---------------------------------------------------------------------------------- */

/* The list of rings without streams, in the order in which their last stream was closed. */
static void append_idle_ring(srv_server *server, srv_ring *ring) {
  ring->next = NULL;
  ring->previous = server->idle_last;
  if (ring->previous) ring->previous->next = ring;
  else server->idle_first = ring;
  server->idle_last = ring;
  server->idle_rings++;
}

static void remove_idle_ring(srv_server *server, srv_ring *ring) {
  if (ring->previous) ring->previous->next = ring->next;
  else server->idle_first = ring->next;
  if (ring->next) ring->next->previous = ring->previous;
  else server->idle_last = ring->previous;
  server->idle_rings--;
}

static void unsubscribe_ring(srv_server *server, srv_ring *ring) {
  if (!ring->subscription) return;
  srv_store_unsubscribe(server->store, ring->subscription);
  free(ring->subscription);
  ring->subscription = NULL;
}

/* Separates the ring from its scene. Open streams still read the ring to its end. */
static void detach_ring(srv_server *server, srv_ring *ring) {
  if (ring->listeners == 0 && !ring->from_store) remove_idle_ring(server, ring);
  unsubscribe_ring(server, ring);
  if (ring->last > server->last_event) server->last_event = ring->last;
  ring->entry->ring = NULL;
  srv_registry_order(server->registry, ring->entry);
  ring->entry = NULL;
  srv_ring_release(ring);
}

/* Returns the number below a ring's first event: the clock's microseconds, or more if needed to be
 * above all numbers of deleted rings. A restarted daemon thus never reuses numbers that clients
 * have stored, provided that there is less than one event per microsecond. */
static uint64_t choose_first_number(const srv_server *server) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  uint64_t number = (uint64_t)now.tv_sec * 1000000u + (uint64_t)now.tv_nsec / 1000u;
  return number > server->last_event ? number : server->last_event + 1;
}

static bool subscribe_ring(srv_server *server, srv_ring *ring);

/* Returns the scene's ring, which is created if needed, and counts one more listener. NULL: out of
 * memory. */
static srv_ring *enter_ring(srv_server *server, srv_entry *entry) {
  if (!entry->ring) {
    size_t bytes = (size_t)server->limits->event_backlog_bytes * API_EVENTS_BACKLOGS;
    srv_ring *created =
        srv_ring_create(choose_first_number(server), (size_t)server->limits->event_ring, bytes);
    if (!created) return NULL;
    created->entry = entry;
    if (srv_store_distributes_events(server->store) && !subscribe_ring(server, created)) {
      srv_ring_release(created);
      return NULL;
    }
    entry->ring = created;
  } else if (entry->ring->listeners == 0) {
    remove_idle_ring(server, entry->ring);
  }
  entry->ring->listeners++;
  srv_registry_order(server->registry, entry);
  srv_ring_retain(entry->ring);
  return entry->ring;
}

static void leave_ring(srv_server *server, srv_ring *ring) {
  assert(ring->listeners > 0);
  ring->listeners--;
  if (ring->entry) srv_registry_order(server->registry, ring->entry);
  if (ring->listeners == 0 && ring->entry) {
    if (!ring->from_store) append_idle_ring(server, ring);
    if (ring->from_store) detach_ring(server, ring);
    else if (server->idle_rings > server->limits->event_streams)
      detach_ring(server, server->idle_first);
  }
  srv_ring_release(ring);
}

/* ---- waking and ending ---------------------------------------------------------------------- */

static void wake_stream(srv_stream *stream) {
  if (!stream->suspended) return;
  stream->suspended = false;
  MHD_resume_connection(stream->request->handle);
  srv_server_mark_dirty(stream->request->server);
}

static void drop_stream(srv_stream *stream) {
  stream->end = STREAM_DROPPED;
  shutdown(stream->request->connection->fd, SHUT_RDWR);
  wake_stream(stream);
}

void srv_stream_close(srv_request *request) {
  srv_server *server = request->server;
  srv_stream *stream = request->stream;
  if (stream->previous) stream->previous->next = stream->next;
  else server->streams = stream->next;
  if (stream->next) stream->next->previous = stream->previous;
  server->stream_count--;
  request->stream = NULL;
  leave_ring(server, stream->ring);
  srv_event_release(stream->event);
  free(stream);
}

/* ---- selection of bytes --------------------------------------------------------------------- */

static void prepare_static_text(srv_stream *stream, const char *text) {
  stream->bytes = text;
  stream->left = strlen(text);
}

/* Makes `event` the next to be sent; takes over the reference. NULL (out of memory) drops the
 * stream and returns false. */
static bool prepare_event(srv_stream *stream, srv_event *event) {
  stream->event = event;
  if (!event) {
    drop_stream(stream);
    return false;
  }
  stream->bytes = event->text;
  stream->left = event->length;
  return true;
}

/* Makes the scene's state, as of the ring's last event, the next to be sent, under the given event
 * name. */
static bool prepare_scene_state(srv_stream *stream, const char *name) {
  const srv_entry *entry = stream->request->entry;
  api_event event = {.name = name};
  const srv_ring *ring = stream->ring;
  uint64_t revision = ring->from_store ? ring->revision : ct_scene_revision(entry->current);
  uint64_t bodies = ring->from_store ? ring->bodies : ct_scene_count(entry->current);
  char *data = api_event_revision(entry->id, revision, bodies, &event.length);
  event.data = data;
  srv_event *created = data ? srv_event_create(stream->ring->last, &event) : NULL;
  free(data);
  stream->position = stream->ring->last + 1;
  return prepare_event(stream, created);
}

/* Makes the ring's next event that is addressed to this stream the next to be sent. False: there is
 * no such event. */
static bool prepare_next_event(srv_stream *stream) {
  const srv_ring *ring = stream->ring;
  while (stream->position <= ring->last) {
    srv_event *event = srv_ring_at(ring, stream->position++);
    if (!is_addressed_to(stream, event->contact_state)) continue;
    event->references++;
    return prepare_event(stream, event);
  }
  return false;
}

/* Replaces the events that the stream has missed: by `reset` with the state of an existing scene,
 * or by the last event of a deleted one. */
static bool prepare_reset(srv_stream *stream) {
  stream->has_missed = false;
  if (!stream->ring->closed) return prepare_scene_state(stream, "reset");
  stream->position = stream->ring->count ? stream->ring->last : stream->ring->last + 1;
  return prepare_next_event(stream);
}

static bool prepare_end(srv_stream *stream) {
  if (stream->end == STREAM_RUNS && !stream->ring->closed) {
    static const api_event event = {.name = "shutdown", .data = "{}", .length = 2};
    stream->end = STREAM_ENDING;
    return prepare_event(stream, srv_event_create(0, &event));
  }
  stream->end = STREAM_ENDED;
  return false;
}

/* True if the scene's state is known. It is not if another daemon has written a revision that
 * cannot be read here. */
static bool is_state_known(const srv_stream *stream) {
  return stream->ring->from_store || stream->ring->closed || stream->request->entry->current;
}

/* Selects the next event from the stream's position on. False: there is none now. */
static bool select_event(srv_stream *stream) {
  const srv_ring *ring = stream->ring;
  if (!stream->has_position) return false;
  if (stream->position < srv_ring_oldest(ring) || stream->position > ring->last + 1)
    stream->has_missed = true;
  if ((stream->has_missed || stream->sends_state) && !is_state_known(stream)) {
    /* The client gets the reason when it reconnects. */
    stream->end = STREAM_ENDED;
    return false;
  }
  if (stream->has_missed && prepare_reset(stream)) return true;
  if (stream->sends_state && !ring->closed) {
    stream->sends_state = false;
    return prepare_scene_state(stream, "revision");
  }
  return prepare_next_event(stream);
}

/* Selects the next bytes to send: retry time, event, end or heartbeat. False: nothing now, or the
 * stream has ended. */
static bool select_next_bytes(srv_stream *stream) {
  srv_event_release(stream->event);
  stream->event = NULL;
  if (stream->end > STREAM_ENDING) return false;
  if (stream->sends_retry) {
    stream->sends_retry = false;
    prepare_static_text(stream, "retry: 2000\n\n");
    return true;
  }
  if (stream->end == STREAM_ENDING) return prepare_end(stream);
  if (select_event(stream)) return true;
  if (stream->end == STREAM_ENDED) return false;
  if (stream->ring->closed || stream->request->server->drain >= SRV_DRAINING)
    return prepare_end(stream);
  if (!stream->beats) return false;
  stream->beats = false;
  prepare_static_text(stream, ": heartbeat\n\n");
  return true;
}

ssize_t srv_stream_read(void *cls, uint64_t position, char *out, size_t most) {
  srv_request *request = cls;
  srv_stream *stream = request->stream;
  (void)position;
  stream->unread = 0;
  size_t used = 0;
  while (used < most && (stream->left > 0 || select_next_bytes(stream))) {
    size_t part = stream->left < most - used ? stream->left : most - used;
    memcpy(out + used, stream->bytes, part);
    stream->bytes += part;
    stream->left -= part;
    used += part;
  }
  if (used > 0) {
    stream->sent += used;
    stream->sent_ns = uv_hrtime();
    return (ssize_t)used;
  }
  /* After a shutdown of the socket, END_OF_STREAM makes the next send fail, which closes the
   * connection. After END_WITH_ERROR, libmicrohttpd 0.9.75 keeps the descriptor open until the idle
   * timeout. */
  if (stream->end >= STREAM_ENDED) return MHD_CONTENT_READER_END_OF_STREAM;
  MHD_suspend_connection(request->handle);
  stream->suspended = true;
  return 0;
}

/* ---- opening -------------------------------------------------------------------------------- */

/* Parses Last-Event-ID: it is absent, an event number, or a text that no ring has sent. */
static void read_last_event_id(srv_stream *stream) {
  const char *text =
      MHD_lookup_connection_value(stream->request->handle, MHD_HEADER_KIND, "Last-Event-ID");
  if (!text || !*text) return;
  size_t digits = strspn(text, "0123456789");
  stream->last_event_id = HAS_OTHER_ID;
  if (digits > 19 || text[digits]) return;
  stream->last_event_id = HAS_NUMBER;
  for (size_t i = 0; i < digits; i++)
    stream->last_event = stream->last_event * 10 + (uint64_t)(text[i] - '0');
}

/* True if the ring has assigned the number and still has all events after it. */
static bool is_number_retained(const srv_ring *ring, uint64_t number) {
  return number + 1 >= srv_ring_oldest(ring) && number <= ring->last;
}

/* Sets the stream's position: after Last-Event-ID if the ring still has the events after it, else
 * at the ring's end. */
static void place_in_ring(srv_stream *stream) {
  stream->has_position = true;
  stream->position = stream->ring->last + 1;
  if (stream->last_event_id == HAS_NO_ID) stream->sends_state = true;
  else if (stream->last_event_id == HAS_NUMBER &&
           is_number_retained(stream->ring, stream->last_event))
    stream->position = stream->last_event + 1;
  else stream->has_missed = true;
}

/* Makes the stream a listener of its scene's ring. False: out of memory. */
static bool attach_to_ring(srv_stream *stream) {
  srv_server *server = stream->request->server;
  stream->ring = enter_ring(server, stream->request->entry);
  if (!stream->ring) return false;
  if (stream->ring->from_store)
    stream->ticket = srv_store_catch_up(server->store, stream->ring->subscription);
  else place_in_ring(stream);
  return true;
}

/* Sets a small send buffer and TCP_USER_TIMEOUT, so that a client that does not read, or is
 * unreachable, is detected early. */
static void limit_socket_buffer(int fd) {
  int bytes = SEND_BUFFER_BYTES;
  unsigned ms = SRV_IDLE_SECONDS * 1000u;
  setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &bytes, sizeof bytes);
  setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &ms, sizeof ms);
}

static srv_stream *create_stream(srv_request *request) {
  srv_server *server = request->server;
  srv_stream *stream = calloc(1, sizeof *stream);
  if (!stream) return NULL;
  stream->request = request;
  read_last_event_id(stream);
  if (!attach_to_ring(stream)) {
    free(stream);
    return NULL;
  }
  stream->sends_retry = true;
  stream->sent_ns = uv_hrtime();
  const char *contact_state = api_call_contact_state(request->call);
  memcpy(stream->contact_state, contact_state, strlen(contact_state) + 1);
  stream->next = server->streams;
  if (stream->next) stream->next->previous = stream;
  server->streams = stream;
  server->stream_count++;
  return stream;
}

void srv_stream_open(srv_request *request) {
  static const api_reply reply = {.status = 200, .content_type = "text/event-stream"};
  srv_server *server = request->server;
  if (server->stream_count >= server->limits->event_streams) {
    srv_request_refuse(request, API_PROBLEM_BUSY,
                       "Too many open event streams: the limit eventStreams is %llu.",
                       (unsigned long long)server->limits->event_streams);
    srv_request_refusal_header(request, "Retry-After", RETRY_SECONDS);
    return;
  }
  /* the scene was deleted while the call waited for a worker */
  if (!request->entry->current) {
    srv_request_refuse(request, API_PROBLEM_SCENE_NOT_FOUND, "No scene has the id \"%s\".",
                       request->match.scene_id);
    return;
  }
  request->stream = create_stream(request);
  if (!request->stream) {
    srv_request_refuse(request, API_PROBLEM_OUT_OF_MEMORY, "Out of memory for the stream.");
    return;
  }
  limit_socket_buffer(request->connection->fd);
  request->reply = &reply;
  request->closes = true;
  /* The drain waits for counted requests only, not for streams. */
  assert(srv_request_is_counted(request) && server->requests > 0);
  request->reply_kind = SRV_REPLY_EVENTS;
  server->requests--;
}

/* ---- publishing ----------------------------------------------------------------------------- */

/* Drops the streams whose backlog exceeds the limit before this write. The events of the write
 * itself do not count, since the client could not read them yet. */
static void drop_slow_streams(srv_server *server, const srv_ring *ring) {
  for (srv_stream *stream = server->streams; stream; stream = stream->next) {
    if (stream->ring != ring || stream->end == STREAM_DROPPED ||
        stream->unread <= server->limits->event_backlog_bytes)
      continue;
    srv_log_event(server->log, "eventsNotTaken", stream->request->connection->client);
    drop_stream(stream);
  }
}

/* Adds the event's length to the backlog of the streams to which it is addressed, and wakes
 * them. */
static void notify_streams(srv_server *server, const srv_ring *ring, const srv_event *event) {
  for (srv_stream *stream = server->streams; stream; stream = stream->next) {
    if (stream->ring != ring || !stream->has_position ||
        !is_addressed_to(stream, event->contact_state))
      continue;
    stream->unread += event->length;
    wake_stream(stream);
  }
}

static void wake_ring_streams(srv_server *server, const srv_ring *ring) {
  for (srv_stream *stream = server->streams; stream; stream = stream->next)
    if (stream->ring == ring) wake_stream(stream);
}

void srv_stream_publish(srv_request *request) {
  srv_server *server = request->server;
  srv_ring *ring = request->entry->ring;
  if (!ring || ring->from_store) return;
  size_t count = 0;
  bool whole = true;
  const api_event *events = api_call_events(request->call, &count, &whole);
  if (count == 0 && whole) return;
  drop_slow_streams(server, ring);
  srv_ring_open_write(ring);
  for (size_t i = 0; i < count; i++) {
    const srv_event *event = srv_ring_add(ring, &events[i]);
    if (event) notify_streams(server, ring, event);
    else whole = false;
  }
  bool deleted = request->match.target == API_TARGET_DELETE;
  if (deleted) ring->closed = true;
  if (!whole) srv_ring_break(ring, ring->last + 1);
  if (!whole || deleted) wake_ring_streams(server, ring);
  if (deleted) detach_ring(server, ring);
}

/* ---- events from a shared store ------------------------------------------------------------- */

/* Called when the ring's events begin, also after a gap. Every stream with a position has missed
 * events, even if the numbers seem to be consecutive, because the store may have assigned them
 * twice. */
static void on_stream_subscribed(srv_store_subscription *store_subscription, uint64_t after,
                                 uint64_t revision, uint64_t bodies) {
  const ring_subscription *subscription = store_subscription->cls;
  srv_ring_break(subscription->ring, after);
  subscription->ring->revision = revision;
  subscription->ring->bodies = bodies;
  for (srv_stream *stream = subscription->server->streams; stream; stream = stream->next)
    if (stream->ring == subscription->ring && stream->has_position) stream->has_missed = true;
  wake_ring_streams(subscription->server, subscription->ring);
}

static void on_store_event(srv_store_subscription *store_subscription,
                           const srv_store_event *published) {
  const ring_subscription *subscription = store_subscription->cls;
  srv_ring *ring = subscription->ring;
  drop_slow_streams(subscription->server, ring);
  srv_ring_open_write(ring);
  size_t at = 0;
  api_event event;
  while (ring->last < published->last &&
         srv_event_payload_next(published->bytes, published->length, &at, &event)) {
    const srv_event *added = srv_ring_add(ring, &event);
    if (!added) break;
    notify_streams(subscription->server, ring, added);
  }
  ring->revision = published->revision;
  ring->bodies = published->bodies;
  if (ring->last == published->last) return;
  srv_ring_break(ring, published->last);
  wake_ring_streams(subscription->server, ring);
}

static void on_stream_caught_up(srv_store_subscription *store_subscription, uint64_t ticket) {
  const ring_subscription *subscription = store_subscription->cls;
  for (srv_stream *stream = subscription->server->streams; stream; stream = stream->next) {
    if (stream->ring != subscription->ring || stream->has_position || stream->ticket > ticket)
      continue;
    place_in_ring(stream);
    wake_stream(stream);
  }
}

/* Moves a stream without a position to the ring of a new scene with the same id, which may have
 * been created meanwhile. */
static void move_to_new_ring(srv_stream *stream) {
  srv_ring *old = stream->ring;
  stream->moved = true;
  if (attach_to_ring(stream)) {
    leave_ring(stream->request->server, old);
    return;
  }
  stream->ring = old;
  drop_stream(stream);
}

static void on_scene_deleted(srv_store_subscription *store_subscription) {
  const ring_subscription *subscription = store_subscription->cls;
  srv_server *server = subscription->server;
  srv_ring *ring = subscription->ring;
  ring->closed = true;
  srv_ring_retain(ring);
  detach_ring(server, ring);
  for (srv_stream *stream = server->streams; stream; stream = stream->next) {
    if (stream->ring != ring) continue;
    if (stream->has_position || stream->moved || stream->end == STREAM_DROPPED) wake_stream(stream);
    else move_to_new_ring(stream);
  }
  srv_ring_release(ring);
}

/* Subscribes the ring to its scene's events in the store. False: out of memory. */
static bool subscribe_ring(srv_server *server, srv_ring *ring) {
  ring_subscription *subscription = calloc(1, sizeof *subscription);
  if (!subscription) return false;
  *subscription = (ring_subscription){.server = server, .ring = ring};
  subscription->store_subscription = (srv_store_subscription){.cls = subscription,
                                                              .on_subscribed = on_stream_subscribed,
                                                              .on_event = on_store_event,
                                                              .on_caught_up = on_stream_caught_up,
                                                              .on_deleted = on_scene_deleted};
  memcpy(subscription->store_subscription.id, ring->entry->id,
         sizeof subscription->store_subscription.id);
  if (!srv_store_subscribe(server->store, &subscription->store_subscription)) {
    free(subscription);
    return false;
  }
  ring->subscription = &subscription->store_subscription;
  ring->from_store = true;
  return true;
}

/* ---- time ----------------------------------------------------------------------------------- */

/* Drops streams whose client has disconnected or closed its sending side. */
static void drop_departed_clients(srv_server *server) {
  size_t count = 0;
  for (srv_stream *stream = server->streams; stream; stream = stream->next)
    server->polled[count++].fd = stream->request->connection->fd;
  if (!srv_server_poll_clients(server, count)) return;
  count = 0;
  for (srv_stream *stream = server->streams; stream; stream = stream->next)
    if (srv_server_has_left(server, count++) && stream->end != STREAM_DROPPED) drop_stream(stream);
}

void srv_stream_reap(srv_server *server, uint64_t now_ns) {
  uint64_t silence_ns = server->limits->heartbeat_seconds * 1000000000u;
  drop_departed_clients(server);
  for (srv_stream *stream = server->streams; stream; stream = stream->next) {
    if (!stream->suspended || now_ns - stream->sent_ns < silence_ns) continue;
    stream->beats = true;
    wake_stream(stream);
  }
}

void srv_stream_shutdown(srv_server *server) {
  for (srv_stream *stream = server->streams; stream; stream = stream->next) wake_stream(stream);
}

void srv_stream_disconnect_rest(srv_server *server) {
  for (srv_stream *stream = server->streams; stream; stream = stream->next)
    if (stream->end != STREAM_DROPPED) drop_stream(stream);
}

void srv_stream_destroy(srv_server *server) {
  while (server->idle_first) detach_ring(server, server->idle_first);
}
