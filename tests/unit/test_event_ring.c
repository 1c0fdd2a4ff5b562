/* The ring buffer of a scene's events: sequence numbers, retention, gaps, failing allocations. */
#include "server/state/event_ring.c" /* the server is not a library */

#include "tests/support/check.h"
#include "tests/support/failing_malloc.h"

#define FIRST 1000u

static api_event event_of(const char *data) {
  return (api_event){.name = "revision", .data = data, .length = strlen(data)};
}

static srv_ring *ring_of(size_t most, size_t bytes_most, int events) {
  srv_ring *ring = srv_ring_create(FIRST, most, bytes_most);
  for (int i = 1; i <= events; i++) {
    char data[24];
    snprintf(data, sizeof data, "{\"n\":%d}", i);
    api_event event = event_of(data);
    CHECK(srv_ring_add(ring, &event) != NULL);
  }
  return ring;
}

static void an_event_is_one_block_of_text(void) {
  srv_event *event = srv_event_create(7, &(api_event){"began", "{\"a\":1}", 7, "drops"});
  CHECK_INT(event->length, 34);
  CHECK(memcmp(event->text, "id: 7\nevent: began\ndata: {\"a\":1}\n\n", 34) == 0);
  CHECK_TEXT(event->contact_state, "drops");
  srv_event_release(event);
  event = srv_event_create(0, &(api_event){"shutdown", "{}", 2, NULL});
  CHECK_INT(event->length, 26);
  CHECK(memcmp(event->text, "event: shutdown\ndata: {}\n\n", 26) == 0 && !event->contact_state);
  srv_event_release(event);
  srv_event_release(NULL);
}

/* With any bound and any number of events, the newest are retained under their numbers. */
static void the_youngest_events_are_kept(void) {
  for (size_t most = 1; most <= 40; most++)
    for (int events = 0; events <= 100; events++) {
      srv_ring *ring = ring_of(most, SIZE_MAX, events);
      size_t kept = (size_t)events < most ? (size_t)events : most;
      CHECK_INT(ring->count, kept);
      CHECK_INT(ring->last, FIRST + (unsigned)events);
      CHECK_INT(srv_ring_oldest(ring), ring->last + 1 - kept);
      size_t bytes = 0;
      for (uint64_t number = srv_ring_oldest(ring); number <= ring->last; number++) {
        char text[80];
        int length = snprintf(text, sizeof text, "id: %d\nevent: revision\ndata: {\"n\":%d}\n\n",
                              (int)number, (int)(number - FIRST));
        const srv_event *event = srv_ring_at(ring, number);
        CHECK(event->length == (size_t)length && memcmp(event->text, text, event->length) == 0);
        bytes += event->length;
      }
      CHECK_INT(ring->bytes, bytes);
      srv_ring_release(ring);
    }
}

static void bytes_bound_the_ring_but_for_the_youngest(void) {
  for (size_t bytes = 1; bytes < 1000; bytes += 7) {
    srv_ring *ring = ring_of(1000, bytes, 30);
    CHECK(ring->count == 1 || ring->bytes <= bytes);
    /* One more event would not have fitted. */
    CHECK(ring->count == 30 || ring->bytes + 41 > bytes);
    srv_ring_release(ring);
  }
}

/* For any bounds, the events of the newest write stay, and earlier events are evicted. */
static void a_write_does_not_evict_its_own_events(void) {
  for (size_t most = 1; most < 12; most++)
    for (unsigned count = 1; count < 20; count++) {
      srv_ring *ring = ring_of(most, most % 2 ? SIZE_MAX : 200, 15);
      api_event event = event_of("{}");
      for (int write = 0; write < 3; write++) {
        uint64_t before = ring->last;
        srv_ring_open_write(ring);
        for (unsigned i = 0; i < count; i++) srv_ring_add(ring, &event);
        CHECK_INT(ring->last, before + count);
        CHECK(srv_ring_oldest(ring) <= before + 1);
        CHECK(ring->count == count || (ring->count <= most && ring->bytes <= ring->bytes_most));
      }
      srv_ring_release(ring);
    }
}

static void who_sends_an_event_holds_it(void) {
  srv_ring *ring = ring_of(3, SIZE_MAX, 3);
  srv_event *event = srv_ring_at(ring, FIRST + 1);
  event->references++;
  srv_ring_retain(ring);
  srv_ring_release(ring);
  api_event next = event_of("{}");
  for (int i = 0; i < 5; i++) srv_ring_add(ring, &next);
  srv_ring_release(ring);
  CHECK(memcmp(event->text, "id: 1001\n", 9) == 0);
  srv_event_release(event);
}

/* After a break no reader, current or behind, takes the next event for the successor of its last
 * one. */
static void a_break_leaves_out_a_number(void) {
  for (int events = 0; events < 5; events++) {
    srv_ring *ring = ring_of(3, SIZE_MAX, events);
    uint64_t next = ring->last + 1;
    srv_ring_break(ring, ring->last + 1);
    CHECK_INT(ring->count, 0);
    CHECK(srv_ring_oldest(ring) > next);
    api_event event = event_of("{}");
    CHECK(srv_ring_add(ring, &event) == srv_ring_at(ring, next + 1));
    CHECK_INT(srv_ring_oldest(ring), next + 1);
    srv_ring_release(ring);
  }
}

/* Fills a ring with allocation `at` failing. False: there were fewer allocations. */
static bool refuse_one(long at) {
  memory.fail_at = at;
  memory.taken = 0;
  memory.counting = true;
  srv_ring *ring = srv_ring_create(FIRST, 20, SIZE_MAX);
  unsigned added = 0;
  for (int i = 0; ring && i < 40; i++) {
    api_event event = event_of("{}");
    uint64_t last = ring->last;
    bool good = srv_ring_add(ring, &event) != NULL;
    CHECK_INT(ring->last, last + good);
    added += good;
  }
  memory.counting = false;
  memory.fail_at = 0;
  bool refused = memory.taken >= at;
  CHECK_INT(!ring || added == 39, refused);
  if (!ring) return refused;
  CHECK_INT(ring->count, 20);
  CHECK_INT(ring->last, FIRST + added);
  srv_ring_release(ring);
  return refused;
}

static void want_of_memory_changes_nothing(void) {
  if (!FAILING_MALLOC) CHECK_SKIP("a sanitizer has a malloc of its own");
  long live = memory.live, at = 1;
  while (FAILING_MALLOC && at < 1000 && refuse_one(at)) at++;
  CHECK(!FAILING_MALLOC || (at > 40 && at < 1000));
  CHECK_INT(memory.live, live);
}

static const check_test tests[] = {
    {"an_event_is_one_block_of_text", an_event_is_one_block_of_text},
    {"the_youngest_events_are_kept", the_youngest_events_are_kept},
    {"bytes_bound_the_ring_but_for_the_youngest", bytes_bound_the_ring_but_for_the_youngest},
    {"a_write_does_not_evict_its_own_events", a_write_does_not_evict_its_own_events},
    {"who_sends_an_event_holds_it", who_sends_an_event_holds_it},
    {"a_break_leaves_out_a_number", a_break_leaves_out_a_number},
    {"want_of_memory_changes_nothing", want_of_memory_changes_nothing}};

CHECK_MAIN(tests)
