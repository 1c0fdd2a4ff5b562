/* Streams of events from their reply's head to their end, and the rings that they read.
 *
 * What a stream sends, in this order: how long a client should wait before it comes back; how the scene stands, unless the client
 * goes on where it was; events of the ring from its place on; the end, when the scene or the daemon goes. Where the ring no longer
 * has the next event, `reset` stands for all that is missed.
 *
 * Where daemons share a store a write's events come by it, with their numbers, whichever daemon has written (`feeds`). Such a ring
 * is there while somebody listens here; what came before is in the store. A stream has its place in it when the ring is level with
 * the store as of the stream's coming. */
#include "http/event_stream.h"

#include "scenes/event_payload.h"
#include "scenes/scene_cache.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* What the kernel may keep of a stream that is not read: beyond it the stream's backlog begins. */
#define SEND_BUFFER_BYTES 32768
/* Seconds after which a refused client may try again. */
#define RETRY_SECONDS "5"

typedef enum srv_stream_end {
  STREAM_RUNS,
  STREAM_TOLD,   /* its last event is being sent */
  STREAM_ENDED,  /* all is sent */
  STREAM_DROPPED /* the connection is cut */
} srv_stream_end;

struct srv_stream {
  srv_stream *next, *previous;
  srv_request *request;
  srv_ring *ring; /* counted there as a listener */
  char contact_state[CT_ID_LENGTH_MAX + 1];
  enum { KEEPS_NOTHING, KEEPS_NUMBER, KEEPS_TEXT } keeps; /* what the client has kept of a stream before */
  uint64_t kept;                                          /* the number */
  bool placed;                                            /* place is set */
  bool moved;                                             /* has come to a ring anew because that before had ended */
  uint64_t ticket;                                        /* of a ring that the store feeds: its place is found then */
  uint64_t place;                                         /* number of the next event to look at */
  bool greets;                                            /* the first bytes are yet to come */
  bool tells_state;                                       /* `revision` comes before the ring */
  bool has_missed;                                        /* `reset` does */
  bool beats;                                             /* a heartbeat is due */
  bool suspended;
  srv_stream_end end;
  const char *bytes; /* being sent: what is left */
  size_t left;
  srv_event *event;  /* that they are of, held; NULL: they are static */
  uint64_t unread;   /* published for it since the client has last taken something */
  uint64_t taken;    /* handed out so far */
  uint64_t taken_ns; /* when last */
};

/* A ring that the store feeds. */
typedef struct feeding {
  srv_store_subscription listen; /* first: the ring's `heard` */
  srv_server *server;
  srv_ring *ring;
} feeding;

uint64_t srv_stream_bytes(const srv_stream *stream) { return stream->taken; }

static bool is_for(const srv_stream *stream, const char *contact_state) {
  return !contact_state || strcmp(stream->contact_state, contact_state) == 0;
}

/* ---- rings ----------------------------------------------------------------------------------------------------------------- */

/* Rings that nobody listens to, the one left longest ago first. */
static void idle_add(srv_server *server, srv_ring *ring) {
  ring->next = NULL;
  ring->previous = server->idle_last;
  if (ring->previous) ring->previous->next = ring;
  else server->idle_first = ring;
  server->idle_last = ring;
  server->idle_rings++;
}

static void idle_remove(srv_server *server, srv_ring *ring) {
  if (ring->previous) ring->previous->next = ring->next;
  else server->idle_first = ring->next;
  if (ring->next) ring->next->previous = ring->previous;
  else server->idle_last = ring->previous;
  server->idle_rings--;
}

static void stop_feeding(srv_server *server, srv_ring *ring) {
  if (!ring->heard) return;
  srv_store_unsubscribe(server->store, ring->heard);
  free(ring->heard);
  ring->heard = NULL;
}

/* The scene has no ring from now on. Streams that read it read it to its end. */
static void detach(srv_server *server, srv_ring *ring) {
  if (ring->listeners == 0 && !ring->fed) idle_remove(server, ring);
  stop_feeding(server, ring);
  if (ring->last > server->last_event) server->last_event = ring->last;
  ring->entry->ring = NULL;
  srv_server_order_scene(server, ring->entry);
  ring->entry = NULL;
  srv_ring_release(ring);
}

/* Microseconds of the clock: a daemon that is started anew, with the same scenes, must not use numbers that one before it has used
 * and clients have kept. No scene has an event every microsecond. */
static uint64_t first_number(const srv_server *server) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  uint64_t number = (uint64_t)now.tv_sec * 1000000u + (uint64_t)now.tv_nsec / 1000u;
  return number > server->last_event ? number : server->last_event + 1;
}

static bool feed(srv_server *server, srv_ring *ring);

/* The ring of a scene, with one listener more. NULL: out of memory. */
static srv_ring *join(srv_server *server, srv_entry *entry) {
  if (!entry->ring) {
    size_t bytes = (size_t)server->limits->event_backlog_bytes * API_EVENTS_BACKLOGS;
    srv_ring *made = srv_ring_create(first_number(server), (size_t)server->limits->event_ring, bytes);
    if (!made) return NULL;
    made->entry = entry;
    if (srv_store_distributes_events(server->store) && !feed(server, made)) {
      srv_ring_release(made);
      return NULL;
    }
    entry->ring = made;
  } else if (entry->ring->listeners == 0) {
    idle_remove(server, entry->ring);
  }
  entry->ring->listeners++;
  srv_server_order_scene(server, entry);
  srv_ring_retain(entry->ring);
  return entry->ring;
}

static void leave(srv_server *server, srv_ring *ring) {
  ring->listeners--;
  if (ring->entry) srv_server_order_scene(server, ring->entry);
  if (ring->listeners == 0 && ring->entry) {
    if (!ring->fed) idle_add(server, ring);
    if (ring->fed) detach(server, ring);
    else if (server->idle_rings > server->limits->event_streams) detach(server, server->idle_first);
  }
  srv_ring_release(ring);
}

/* ---- waking and ending ------------------------------------------------------------------------------------------------------- */

static void wake(srv_stream *stream) {
  if (!stream->suspended) return;
  stream->suspended = false;
  MHD_resume_connection(stream->request->handle);
  srv_server_mark_dirty(stream->request->server);
}

static void drop(srv_stream *stream) {
  stream->end = STREAM_DROPPED;
  shutdown(stream->request->connection->fd, SHUT_RDWR);
  wake(stream);
}

void srv_stream_close(srv_request *request) {
  srv_server *server = request->server;
  srv_stream *stream = request->stream;
  if (stream->previous) stream->previous->next = stream->next;
  else server->streams = stream->next;
  if (stream->next) stream->next->previous = stream->previous;
  server->stream_count--;
  request->stream = NULL;
  leave(server, stream->ring);
  srv_event_release(stream->event);
  free(stream);
  if (server->drain != SRV_SERVING) srv_drain_check(server);
}

/* ---- what is sent -------------------------------------------------------------------------------------------------------- */

static void send_static(srv_stream *stream, const char *text) {
  stream->bytes = text;
  stream->left = strlen(text);
}

/* Takes over a reference. False: there is no event, for want of memory. */
static bool send_event(srv_stream *stream, srv_event *event) {
  stream->event = event;
  if (!event) {
    drop(stream);
    return false;
  }
  stream->bytes = event->text;
  stream->left = event->length;
  return true;
}

/* How the scene stands, after the ring's last event. */
static bool send_state(srv_stream *stream, const char *name) {
  const srv_entry *entry = stream->request->entry;
  api_event event = {.name = name};
  const srv_ring *ring = stream->ring;
  uint64_t revision = ring->fed ? ring->revision : ct_scene_revision(entry->current);
  uint64_t bodies = ring->fed ? ring->bodies : ct_scene_count(entry->current);
  char *data = api_event_revision(entry->id, revision, bodies, &event.length);
  event.data = data;
  srv_event *made = data ? srv_event_create(stream->ring->last, &event) : NULL;
  free(data);
  stream->place = stream->ring->last + 1;
  return send_event(stream, made);
}

/* The next event of the ring that is for this stream. False: there is none. */
static bool send_next(srv_stream *stream) {
  const srv_ring *ring = stream->ring;
  while (stream->place <= ring->last) {
    srv_event *event = srv_ring_at(ring, stream->place++);
    if (!is_for(stream, event->contact_state)) continue;
    event->references++;
    return send_event(stream, event);
  }
  return false;
}

/* Events are missing: a scene that is there is told anew, of one that has gone the end is left. */
static bool send_missed(srv_stream *stream) {
  stream->has_missed = false;
  if (!stream->ring->closed) return send_state(stream, "reset");
  stream->place = stream->ring->count ? stream->ring->last : stream->ring->last + 1;
  return send_next(stream);
}

static bool send_end(srv_stream *stream) {
  if (stream->end == STREAM_RUNS && !stream->ring->closed) {
    static const api_event event = {.name = "shutdown", .data = "{}", .length = 2};
    stream->end = STREAM_TOLD;
    return send_event(stream, srv_event_create(0, &event));
  }
  stream->end = STREAM_ENDED;
  return false;
}

/* Can it be told how the scene stands? One that another has changed may not be readable any more. */
static bool has_state(const srv_stream *stream) {
  return stream->ring->fed || stream->ring->closed || stream->request->entry->current;
}

/* From its place on. */
static bool pick_event(srv_stream *stream) {
  const srv_ring *ring = stream->ring;
  if (!stream->placed) return false;
  if (stream->place < srv_ring_oldest(ring) || stream->place > ring->last + 1) stream->has_missed = true;
  if ((stream->has_missed || stream->tells_state) && !has_state(stream)) {
    /* Who comes again is told why. */
    stream->end = STREAM_ENDED;
    return false;
  }
  if (stream->has_missed && send_missed(stream)) return true;
  if (stream->tells_state && !ring->closed) {
    stream->tells_state = false;
    return send_state(stream, "revision");
  }
  return send_next(stream);
}

/* Finds what is to be sent next. False: nothing now, or nothing any more. */
static bool pick(srv_stream *stream) {
  srv_event_release(stream->event);
  stream->event = NULL;
  if (stream->end > STREAM_TOLD) return false;
  if (stream->greets) {
    stream->greets = false;
    send_static(stream, "retry: 2000\n\n");
    return true;
  }
  if (stream->end == STREAM_TOLD) return send_end(stream);
  if (pick_event(stream)) return true;
  if (stream->end == STREAM_ENDED) return false;
  if (stream->ring->closed || stream->request->server->drain >= SRV_DRAINING) return send_end(stream);
  if (!stream->beats) return false;
  stream->beats = false;
  send_static(stream, ": heartbeat\n\n");
  return true;
}

ssize_t srv_stream_read(void *cls, uint64_t position, char *out, size_t most) {
  srv_request *request = cls;
  srv_stream *stream = request->stream;
  (void)position;
  stream->unread = 0;
  size_t used = 0;
  while (used < most && (stream->left > 0 || pick(stream))) {
    size_t part = stream->left < most - used ? stream->left : most - used;
    memcpy(out + used, stream->bytes, part);
    stream->bytes += part;
    stream->left -= part;
    used += part;
  }
  if (used > 0) {
    stream->taken += used;
    stream->taken_ns = uv_hrtime();
    return (ssize_t)used;
  }
  /* Where the socket has been shut down the end cannot be sent, and that closes the connection; told of an error, libmicrohttpd
   * 0.9.75 keeps the descriptor until it is silent for too long. */
  if (stream->end >= STREAM_ENDED) return MHD_CONTENT_READER_END_OF_STREAM;
  MHD_suspend_connection(request->handle);
  stream->suspended = true;
  return 0;
}

/* ---- opening ------------------------------------------------------------------------------------------------------------- */

/* What the client has kept, from its head. */
static void read_kept(srv_stream *stream) {
  const char *text = MHD_lookup_connection_value(stream->request->handle, MHD_HEADER_KIND, "Last-Event-ID");
  if (!text || !*text) return;
  size_t digits = strspn(text, "0123456789");
  stream->keeps = KEEPS_TEXT;
  if (digits > 19 || text[digits]) return;
  stream->keeps = KEEPS_NUMBER;
  for (size_t i = 0; i < digits; i++) stream->kept = stream->kept * 10 + (uint64_t)(text[i] - '0');
}

/* The number is one of the ring's, and all that followed is there. */
static bool follows(const srv_ring *ring, uint64_t number) { return number + 1 >= srv_ring_oldest(ring) && number <= ring->last; }

static void set_place(srv_stream *stream) {
  stream->placed = true;
  stream->place = stream->ring->last + 1;
  if (stream->keeps == KEEPS_NOTHING) stream->tells_state = true;
  else if (stream->keeps == KEEPS_NUMBER && follows(stream->ring, stream->kept)) stream->place = stream->kept + 1;
  else stream->has_missed = true;
}

/* Counted in the ring as a listener from now on. False: out of memory. */
static bool come_to_ring(srv_stream *stream) {
  srv_server *server = stream->request->server;
  stream->ring = join(server, stream->request->entry);
  if (!stream->ring) return false;
  if (stream->ring->fed) stream->ticket = srv_store_catch_up(server->store, stream->ring->heard);
  else set_place(stream);
  return true;
}

/* A client that does not read, or is not there any more, is found out by little. */
static void bound_socket(int fd) {
  int bytes = SEND_BUFFER_BYTES;
  unsigned ms = SRV_IDLE_SECONDS * 1000u;
  setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &bytes, sizeof bytes);
  setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &ms, sizeof ms);
}

static srv_stream *create(srv_request *request) {
  srv_server *server = request->server;
  srv_stream *stream = calloc(1, sizeof *stream);
  if (!stream) return NULL;
  stream->request = request;
  read_kept(stream);
  if (!come_to_ring(stream)) {
    free(stream);
    return NULL;
  }
  stream->greets = true;
  stream->taken_ns = uv_hrtime();
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
    srv_request_refuse(request, API_PROBLEM_BUSY, "As many streams of events are open as may be: %llu (eventStreams).",
                       (unsigned long long)server->limits->event_streams);
    srv_request_refusal_header(request, "Retry-After", RETRY_SECONDS);
    return;
  }
  /* Deleted while the call waited for a worker. */
  if (!request->entry->current) {
    srv_request_refuse(request, API_PROBLEM_SCENE_NOT_FOUND, "No scene has the id \"%s\".", request->match.scene_id);
    return;
  }
  request->stream = create(request);
  if (!request->stream) {
    srv_request_refuse(request, API_PROBLEM_OUT_OF_MEMORY, "Memory for the stream could not be had.");
    return;
  }
  bound_socket(request->connection->fd);
  request->reply = &reply;
  request->close = true;
  srv_job_free_call(request);
  /* The end of the daemon waits for requests, not for streams. */
  request->counted = false;
  server->requests--;
}

/* ---- publishing ---------------------------------------------------------------------------------------------------------- */

/* Who has left too much unread before this write is dropped. What one write adds is not looked at: however much it is, the client
 * has had no time to read it. */
static void drop_slow(srv_server *server, const srv_ring *ring) {
  for (srv_stream *stream = server->streams; stream; stream = stream->next) {
    if (stream->ring != ring || stream->end == STREAM_DROPPED || stream->unread <= server->limits->event_backlog_bytes) continue;
    srv_log_event(server->log, "eventsNotTaken", stream->request->connection->client);
    drop(stream);
  }
}

static void tell(srv_server *server, const srv_ring *ring, const srv_event *event) {
  for (srv_stream *stream = server->streams; stream; stream = stream->next) {
    if (stream->ring != ring || !stream->placed || !is_for(stream, event->contact_state)) continue;
    stream->unread += event->length;
    wake(stream);
  }
}

static void wake_all(srv_server *server, const srv_ring *ring) {
  for (srv_stream *stream = server->streams; stream; stream = stream->next)
    if (stream->ring == ring) wake(stream);
}

void srv_stream_publish(srv_request *request) {
  srv_server *server = request->server;
  srv_ring *ring = request->entry->ring;
  if (!ring || ring->fed) return;
  size_t count = 0;
  bool whole = true;
  const api_event *events = api_call_events(request->call, &count, &whole);
  if (count == 0 && whole) return;
  drop_slow(server, ring);
  srv_ring_open_write(ring);
  for (size_t i = 0; i < count; i++) {
    const srv_event *event = srv_ring_add(ring, &events[i]);
    if (event) tell(server, ring, event);
    else whole = false;
  }
  bool deleted = request->match.target == API_TARGET_DELETE;
  if (deleted) ring->closed = true;
  if (!whole) srv_ring_break(ring, ring->last + 1);
  if (!whole || deleted) wake_all(server, ring);
  if (deleted) detach(server, ring);
}

/* ---- what comes through the store ---------------------------------------------------------------------------------------- */

/* Who has a place has missed something, even where the numbers do not show it: they may have been given again. */
static void on_stream_subscribed(srv_store_subscription *listen, uint64_t after, uint64_t revision, uint64_t bodies) {
  const feeding *f = listen->cls;
  srv_ring_break(f->ring, after);
  f->ring->revision = revision;
  f->ring->bodies = bodies;
  for (srv_stream *stream = f->server->streams; stream; stream = stream->next)
    if (stream->ring == f->ring && stream->placed) stream->has_missed = true;
  wake_all(f->server, f->ring);
}

static void on_store_event(srv_store_subscription *listen, const srv_store_event *told) {
  const feeding *f = listen->cls;
  srv_ring *ring = f->ring;
  drop_slow(f->server, ring);
  srv_ring_open_write(ring);
  size_t at = 0;
  api_event event;
  while (ring->last < told->last && srv_event_payload_next(told->bytes, told->length, &at, &event)) {
    const srv_event *added = srv_ring_add(ring, &event);
    if (!added) break;
    tell(f->server, ring, added);
  }
  ring->revision = told->revision;
  ring->bodies = told->bodies;
  if (ring->last == told->last) return;
  srv_ring_break(ring, told->last);
  wake_all(f->server, ring);
}

static void on_stream_caught_up(srv_store_subscription *listen, uint64_t ticket) {
  const feeding *f = listen->cls;
  for (srv_stream *stream = f->server->streams; stream; stream = stream->next) {
    if (stream->ring != f->ring || stream->placed || stream->ticket > ticket) continue;
    set_place(stream);
    wake(stream);
  }
}

/* A stream that has no place yet may have come for a scene that was made after this one. */
static void move(srv_stream *stream) {
  srv_ring *old = stream->ring;
  stream->moved = true;
  if (come_to_ring(stream)) {
    leave(stream->request->server, old);
    return;
  }
  stream->ring = old;
  drop(stream);
}

static void on_scene_deleted(srv_store_subscription *listen) {
  const feeding *f = listen->cls;
  srv_server *server = f->server;
  srv_ring *ring = f->ring;
  ring->closed = true;
  srv_ring_retain(ring);
  detach(server, ring);
  for (srv_stream *stream = server->streams; stream; stream = stream->next) {
    if (stream->ring != ring) continue;
    if (stream->placed || stream->moved || stream->end == STREAM_DROPPED) wake(stream);
    else move(stream);
  }
  srv_ring_release(ring);
}

/* The store feeds the ring from now on. False: out of memory. */
static bool feed(srv_server *server, srv_ring *ring) {
  feeding *f = calloc(1, sizeof *f);
  if (!f) return false;
  *f = (feeding){.server = server, .ring = ring};
  f->listen = (srv_store_subscription){
      .cls = f, .begun = on_stream_subscribed, .told = on_store_event, .level = on_stream_caught_up, .gone = on_scene_deleted};
  memcpy(f->listen.id, ring->entry->id, sizeof f->listen.id);
  if (!srv_store_subscribe(server->store, &f->listen)) {
    free(f);
    return false;
  }
  ring->heard = &f->listen;
  ring->fed = true;
  return true;
}

/* ---- time ---------------------------------------------------------------------------------------------------------------- */

/* A client that closes its sending side has left, too. */
static void drop_left(srv_server *server) {
  size_t count = 0;
  for (srv_stream *stream = server->streams; stream; stream = stream->next)
    server->polled[count++] = (struct pollfd){.fd = stream->request->connection->fd, .events = POLLRDHUP};
  if (count == 0 || poll(server->polled, count, 0) <= 0) return;
  count = 0;
  for (srv_stream *stream = server->streams; stream; stream = stream->next)
    if (server->polled[count++].revents & (POLLRDHUP | POLLHUP | POLLERR | POLLNVAL) && stream->end != STREAM_DROPPED) drop(stream);
}

void srv_stream_reap(srv_server *server, uint64_t now_ns) {
  uint64_t silence_ns = server->limits->heartbeat_seconds * 1000000000u;
  drop_left(server);
  for (srv_stream *stream = server->streams; stream; stream = stream->next) {
    if (!stream->suspended || now_ns - stream->taken_ns < silence_ns) continue;
    stream->beats = true;
    wake(stream);
  }
}

void srv_stream_shutdown(srv_server *server) {
  for (srv_stream *stream = server->streams; stream; stream = stream->next) wake(stream);
}

void srv_stream_disconnect_rest(srv_server *server) {
  for (srv_stream *stream = server->streams; stream; stream = stream->next)
    if (stream->end != STREAM_DROPPED) drop(stream);
}

void srv_stream_destroy(srv_server *server) {
  while (server->idle_first) detach(server, server->idle_first);
}
