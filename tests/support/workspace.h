/* One workspace for all facts of a program, so that each query runs after others: `workspace`,
 * created and destroyed by WORKSPACE_MAIN. */
#ifndef TESTS_WORKSPACE_H
#define TESTS_WORKSPACE_H

#include "tests/support/check.h"

#include <contact/pair.h>

static ct_workspace *workspace;

static inline int workspace_main(int argc, char **argv, const check_test *tests, size_t count) {
  workspace = ct_workspace_create();
  int status = check_main(argc, argv, tests, count);
  ct_workspace_destroy(workspace);
  return status;
}

#define WORKSPACE_MAIN(tests)                                                                      \
  int main(int argc, char **argv) {                                                                \
    return workspace_main(argc, argv, tests, sizeof(tests) / sizeof((tests)[0]));                  \
  }

#endif
