/* Events of a write as bytes: encoded events decode to the same events, and damaged bytes never
 * decode to an invalid event. */
#include "server/scenes/event_payload.c" /* the server is not a library */

#include "tests/support/check.h"

enum { EVENTS = 4 };

static const api_event events[EVENTS] = {{"revision", "{\"revision\":7}", 14, NULL},
                                         {"ended", "{\"a\":\"\\n\"}", 10, "drops"},
                                         {"began", "{}", 2, "d"},
                                         {"reset", "{\"revision\":8,\"bodies\":0}", 25, "drops.2"}};

static void what_is_written_comes_back_in_order(void) {
  for (size_t count = 0; count <= EVENTS; count++) {
    size_t length = 0, at = 0, n = 0;
    char *bytes = srv_event_payload_write(events, count, &length);
    for (api_event event; srv_event_payload_next(bytes, length, &at, &event); n++) {
      CHECK_TEXT(event.name, events[n].name);
      CHECK_INT(event.length, events[n].length);
      CHECK(memcmp(event.data, events[n].data, event.length) == 0);
      CHECK(!event.contact_state == !events[n].contact_state);
      if (event.contact_state) CHECK_TEXT(event.contact_state, events[n].contact_state);
    }
    CHECK_INT(n, count);
    CHECK_INT(at, length);
    free(bytes);
  }
}

/* Reads a copy in a block of its own size, so that a sanitizer detects a read beyond its end. */
static size_t read_all(const char *bytes, size_t length) {
  char *copy = malloc(length + 1);
  if (length) memcpy(copy, bytes, length);
  char *exact = realloc(copy, length ? length : 1);
  size_t at = 0, n = 0;
  for (api_event event; srv_event_payload_next(exact, length, &at, &event); n++) {
    CHECK(at <= length && event.length > 0 && event.data + event.length == exact + at);
    CHECK(!memchr(event.data, '\n', event.length) && !strpbrk(event.name, "\r\n "));
    CHECK(event.name[0] && (!event.contact_state || event.contact_state[0]));
  }
  free(exact);
  return n;
}

static void a_part_is_no_more_than_what_is_whole_in_it(void) {
  size_t length = 0;
  char *bytes = srv_event_payload_write(events, EVENTS, &length);
  for (size_t n = 0; n < length; n++) CHECK(read_all(bytes, n) < EVENTS);
  CHECK_INT(read_all(bytes, length), EVENTS);
  free(bytes);
}

static void bytes_that_have_changed_are_read_as_far_as_they_are_events(void) {
  size_t length = 0;
  char *bytes = srv_event_payload_write(events, EVENTS, &length);
  for (size_t i = 0; i < length; i++)
    for (int other = 0; other < 256; other++) {
      char was = bytes[i];
      bytes[i] = (char)other;
      /* A changed length may span several former events. */
      CHECK(read_all(bytes, length) <= EVENTS);
      bytes[i] = was;
    }
  free(bytes);
}

static void no_text_of_another_kind_is_an_event(void) {
  static const struct {
    const char *bytes;
    size_t length;
  } cases[] = {{"began\0\0-1\0{}", 12},
               {"began\0\0+2\0{}", 12},
               {"began\0\0\0{}", 10},
               {"began\0\0000\0{}", 11},
               {"began\0\0003\0{}", 11},
               {"\0\0002\0{}", 6},
               {"be gan\0\0002\0{}", 12},
               {"began\0a\nb\0002\0{}", 14},
               {"began\0\0002\0{\n", 11},
               {"began\0\0002\0{\r", 11},
               {"began\0\00018446744073709551618\0{}", 30}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
    if (read_all(cases[i].bytes, cases[i].length)) CHECK_FAIL("case %zu is read as an event", i);
  CHECK_INT(read_all("began\0\0002\0{}", 11), 1);
}

static const check_test tests[] = {
    {"what_is_written_comes_back_in_order", what_is_written_comes_back_in_order},
    {"a_part_is_no_more_than_what_is_whole_in_it", a_part_is_no_more_than_what_is_whole_in_it},
    {"bytes_that_have_changed_are_read_as_far_as_they_are_events",
     bytes_that_have_changed_are_read_as_far_as_they_are_events},
    {"no_text_of_another_kind_is_an_event", no_text_of_another_kind_is_an_event}};

CHECK_MAIN(tests)
