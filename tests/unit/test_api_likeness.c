/* The nearest known word: edit distances against the full table of optimal string alignment
 * (Damerau 1964), and the bound on their cost. */
#include "common/spelling.h"

#include "tests/support/check.h"

#include <string.h>

#define LONGEST 64

static size_t min2(size_t a, size_t b) { return a < b ? a : b; }

/* The full table; letters are lower case. */
static size_t full_distance(const char *a, size_t n, const char *b, size_t m) {
  static size_t d[LONGEST + 1][LONGEST + 1];
  for (size_t i = 0; i <= n; i++)
    for (size_t j = 0; j <= m; j++) {
      d[i][j] = i == 0 ? j : i;
      if (i == 0 || j == 0) continue;
      d[i][j] = min2(min2(d[i - 1][j], d[i][j - 1]) + 1, d[i - 1][j - 1] + (a[i - 1] != b[j - 1]));
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        d[i][j] = min2(d[i][j], d[i - 2][j - 2] + 1);
    }
  return d[n][m];
}

static uint64_t next_random(uint64_t *state) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return *state >> 33;
}

static size_t random_word(uint64_t *state, size_t longest, size_t letters, char *out) {
  size_t length = (size_t)next_random(state) % (longest + 1);
  for (size_t i = 0; i < length; i++) out[i] = (char)('a' + next_random(state) % letters);
  return length;
}

/* A copy with some letters inserted, dropped, changed or swapped. */
static size_t edit_word(uint64_t *state, const char *word, size_t length, char *out) {
  memcpy(out, word, length);
  for (size_t edits = (size_t)next_random(state) % 9; edits > 0; edits--) {
    size_t at = length ? (size_t)next_random(state) % length : 0;
    uint64_t way = next_random(state) % 4;
    if (way == 0 && length < LONGEST) {
      memmove(out + at + 1, out + at, length - at);
      out[at] = (char)('a' + next_random(state) % 26);
      length++;
    } else if (way == 1 && length > 0) {
      memmove(out + at, out + at + 1, length - at - 1);
      length--;
    } else if (way == 2 && length > 0) {
      out[at] = (char)('a' + next_random(state) % 26);
    } else if (way == 3 && at + 1 < length) {
      char c = out[at];
      out[at] = out[at + 1];
      out[at + 1] = c;
    }
  }
  return length;
}

static void the_nearest_word_is_that_of_the_whole_table(void) {
  static const size_t longest[] = {4, 12, 26, LONGEST}, letters[] = {2, 4, 26};
  uint64_t state = 7;
  size_t found = 0, missed = 0;
  for (size_t round = 0; round < 6000; round++) {
    char word[LONGEST], candidate[12][LONGEST];
    size_t most = longest[round % 4], used = letters[round % 3], best = SIZE_MAX;
    size_t length = random_word(&state, most, used, word);
    api_spelling likeness = api_spelling_start(word, length);
    for (size_t i = 0; i < 12; i++) {
      size_t own = i % 2 ? edit_word(&state, word, length, candidate[i])
                         : random_word(&state, most, used, candidate[i]);
      size_t distance = full_distance(word, length, candidate[i], own);
      bool swapped =
          own == 2 && length == 2 && word[0] == candidate[i][1] && word[1] == candidate[i][0];
      bool near = 3 * distance <= (own > length ? own : length) || swapped;
      if (near && distance < best) best = distance;
      CHECK(api_spelling_consider(&likeness, candidate[i], own));
    }
    CHECK(likeness.distance == best);
    if (best == SIZE_MAX) missed++;
    else found++;
  }
  CHECK(found > 1000 && missed > 100);
}

/* The server compares names on its event loop, so a client with many similar names must not block
 * it. */
static void words_that_are_alike_cost_a_bounded_number_of_cells(void) {
  char word[LONGEST], candidate[LONGEST];
  memset(word, 'a', sizeof word);
  memset(candidate, 'a', sizeof candidate);
  memset(word, 'b', 20);
  memset(candidate + LONGEST - 20, 'b', 20);
  api_spelling likeness = api_spelling_start(word, sizeof word);
  size_t compared = 0;
  while (compared < API_SPELLING_CANDIDATES &&
         api_spelling_consider(&likeness, candidate, sizeof candidate))
    compared++;
  CHECK(compared > 100);
  CHECK(likeness.cells <= API_SPELLING_CELLS + LONGEST * LONGEST);
}

/* Random ids share few letters, which a letter count detects without a table. */
static void words_without_common_letters_cost_no_cells(void) {
  api_spelling likeness = api_spelling_start("abcdefghijklmnopqrstuvwxyz", 26);
  CHECK(api_spelling_consider(&likeness, "aaaaaaaaaaaabbbbbbbbbbbbcc", 26));
  CHECK(api_spelling_consider(&likeness, "01234567890123456789012345", 26));
  CHECK(likeness.cells == 0 && likeness.best.length == 0);
}

static const check_test tests[] = {
    {"the_nearest_word_is_that_of_the_whole_table", the_nearest_word_is_that_of_the_whole_table},
    {"words_that_are_alike_cost_a_bounded_number_of_cells",
     words_that_are_alike_cost_a_bounded_number_of_cells},
    {"words_without_common_letters_cost_no_cells", words_without_common_letters_cost_no_cells},
};
CHECK_MAIN(tests)
