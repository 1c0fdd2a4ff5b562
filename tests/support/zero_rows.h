/* The list of a program that passes zero-initialised structs to functions: the structs, by name,
 * and the fact that shows the meaning of their zeros. tests/house/zero.py reads it. */
#ifndef TESTS_ZERO_ROWS_H
#define TESTS_ZERO_ROWS_H

#include "tests/support/check.h"

typedef struct zero_row {
  const char *names;  /* separated by blanks */
  void (*test)(void); /* NULL: only functions fill them */
} zero_row;

/* Fails for a row whose test is not a fact of the program. */
static inline void zero_rows_name_facts(const zero_row *rows, size_t count, const check_test *tests,
                                        size_t test_count) {
  for (size_t i = 0; i < count; i++) {
    if (!rows[i].test) continue;
    size_t k = 0;
    while (k < test_count && tests[k].run != rows[i].test) k++;
    if (k == test_count) CHECK_FAIL("%s: the test is no fact of this program", rows[i].names);
  }
}

#endif
