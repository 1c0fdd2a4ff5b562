/* Cursors: a written cursor reads back as the same cursor, and any other text is refused. */
#include "common/cursor.h"

#include "tests/support/check.h"

#include <contact/scene.h>

static json_t *parse(const char *text) { return json_loads(text, 0, NULL); }

static uint64_t hash_of(const char *text) {
  json_t *object = parse(text);
  uint64_t hash = api_hash_start();
  CHECK(api_hash_request(&hash, object));
  json_decref(object);
  return hash;
}

static void a_cursor_is_read_back_as_written(void) {
  const api_cursor cursors[] = {
      {0, 0, 0, 0, 0, 0, 0},
      {7, 3, 99, CT_NO_ROW, 0, 12, 5},
      {UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT32_MAX, UINT32_MAX, UINT64_MAX, UINT64_MAX},
      {1, 0, 1ull << 40, 17, 5, API_TOTAL_UNKNOWN, 1}};
  for (size_t i = 0; i < sizeof cursors / sizeof cursors[0]; i++) {
    char text[API_CURSOR_LENGTH_MAX + 1];
    api_cursor back = {0};
    api_cursor_write(&cursors[i], 42, text);
    CHECK(strlen(text) <= API_CURSOR_LENGTH_MAX);
    CHECK(api_cursor_read(text, strlen(text), 42, &back));
    CHECK(back.revision == cursors[i].revision && back.variant == cursors[i].variant &&
          back.item == cursors[i].item);
    CHECK_INT(back.after, cursors[i].after);
    CHECK_INT(back.part, cursors[i].part);
    CHECK(back.total == cursors[i].total && back.limit == cursors[i].limit);
  }
}

static void a_cursor_of_another_request_is_refused(void) {
  char text[API_CURSOR_LENGTH_MAX + 1];
  api_cursor back;
  api_cursor_write(&(api_cursor){5, 0, 6, 7, 0, 0, 0}, 42, text);
  CHECK(!api_cursor_read(text, strlen(text), 43, &back));
}

static void a_cursor_with_any_byte_changed_is_refused(void) {
  char text[API_CURSOR_LENGTH_MAX + 1];
  api_cursor back;
  api_cursor_write(&(api_cursor){5, 1, 600, 7, 2, 31, 10}, 42, text);
  size_t length = strlen(text);
  for (size_t i = 0; i < length; i++) {
    for (int byte = 1; byte < 256; byte++) {
      char changed[API_CURSOR_LENGTH_MAX + 1];
      memcpy(changed, text, length + 1);
      if ((unsigned char)changed[i] == byte) continue;
      changed[i] = (char)byte;
      if (api_cursor_read(changed, length, 42, &back))
        CHECK_FAIL("%s is taken for %s", changed, text);
    }
  }
  for (size_t cut = 0; cut < length; cut++) CHECK(!api_cursor_read(text, cut, 42, &back));
}

static void texts_that_are_no_cursors_are_refused(void) {
  static const char *const bad[] = {"",
                                    "-",
                                    "----",
                                    "0-0-0-0-0-0-0-0",
                                    "x",
                                    "5-1-258-7-2-20-a-",
                                    "11111111111111111-0-0-0-0-0-0-0",
                                    "0-0-0-111111111-0-0-0-0",
                                    "5-1-258-7-2-20-a-0-0"};
  api_cursor back;
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
    CHECK(!api_cursor_read(bad[i], strlen(bad[i]), 42, &back));
  char longest[500];
  memset(longest, '1', sizeof longest);
  CHECK(!api_cursor_read(longest, sizeof longest, 42, &back));
}

static void a_place_is_read_back_in_its_own_list_alone(void) {
  static const char *const ids[] = {
      "a",     "s-0123456789abcdef", "x-0",           "a:b~c@d.e-f-0123456789abcdef",
      "/wam1", "left finger",        "\xc3\xa9#&%~2f"};
  char longest[CT_ID_LENGTH_MAX + 1];
  memset(longest, '/', sizeof longest - 1);
  longest[sizeof longest - 1] = 0;
  for (size_t i = 0; i < 8; i++) {
    const char *id = i < 7 ? ids[i] : longest;
    char text[API_LIST_CURSOR_LENGTH_MAX + 1], back[CT_ID_LENGTH_MAX + 1];
    api_list_cursor_write(id, 42, text);
    CHECK(api_list_cursor_read(text, 42, back) && strcmp(back, id) == 0);
    CHECK(!api_list_cursor_read(text, 43, back));
    CHECK(!api_list_cursor_read(id, 42, back));
    for (size_t k = 0; text[k]; k++) {
      char kept = text[k];
      text[k] = kept == '0' ? '1' : '0';
      CHECK(!api_list_cursor_read(text, 42, back));
      text[k] = kept;
    }
    for (size_t cut = strlen(text); cut-- > 0;) {
      text[cut] = 0;
      CHECK(!api_list_cursor_read(text, 42, back));
    }
  }
}

static void a_cursor_survives_what_a_next_page_may_change(void) {
  uint64_t hash = hash_of("{\"clearance\": 0.5, \"where\": {\"a\": {\"ids\": [\"x\"]}}}");
  CHECK(hash == hash_of("{\"where\": {\"a\": {\"ids\": [\"x\"]}}, \"clearance\": 0.5}"));
  CHECK(hash == hash_of("{\"clearance\": 0.5, \"limit\": 7, \"where\": {\"a\": {\"ids\": "
                        "[\"x\"]}}, \"cursor\": \"c\", \"deadlineMs\": 9}"));
  CHECK(hash != hash_of("{\"clearance\": 0.25, \"where\": {\"a\": {\"ids\": [\"x\"]}}}"));
  CHECK(hash != hash_of("{\"clearance\": 0.5, \"where\": {\"b\": {\"ids\": [\"x\"]}}}"));
  CHECK(hash != hash_of("{\"clearance\": 0.5}"));
  CHECK(hash_of("{}") != hash_of("{\"pairs\": []}"));
}

static const check_test tests[] = {
    {"a_cursor_is_read_back_as_written", a_cursor_is_read_back_as_written},
    {"a_cursor_of_another_request_is_refused", a_cursor_of_another_request_is_refused},
    {"a_cursor_with_any_byte_changed_is_refused", a_cursor_with_any_byte_changed_is_refused},
    {"texts_that_are_no_cursors_are_refused", texts_that_are_no_cursors_are_refused},
    {"a_place_is_read_back_in_its_own_list_alone", a_place_is_read_back_in_its_own_list_alone},
    {"a_cursor_survives_what_a_next_page_may_change",
     a_cursor_survives_what_a_next_page_may_change},
};
CHECK_MAIN(tests)
