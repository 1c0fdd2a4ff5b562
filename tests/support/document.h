/* For tests of the API's documents: a text, its parse and its fields, with their faults. */
#ifndef TESTS_DOCUMENT_H
#define TESTS_DOCUMENT_H

#include "common/limits.h"
#include "documents/scene_json.h"
#include "tests/support/check.h"
#include "json/json_parser.h"

typedef struct document {
  api_limits limits;
  api_arena arena;
  api_faults faults;
  api_reader reader;
  json_t *json;
  api_field root;
} document;

/* Standard limits and no text yet. */
static inline void document_init(document *d) {
  *d = (document){0};
  api_limits_default(&d->limits);
  api_arena_init(&d->arena, d->limits.request_memory_bytes);
  d->reader = (api_reader){.faults = &d->faults, .limits = &d->limits, .arena = &d->arena};
}

static inline bool document_parse(document *d, const char *text, size_t length) {
  api_json_options options = {.depth = d->limits.json_depth,
                              .memory = d->limits.request_memory_bytes};
  json_decref(d->json);
  d->json = api_json_parse(text, length, &options, &d->faults);
  d->root = api_field_root(d->json);
  return d->json != NULL;
}

static inline void document_free(document *d) {
  json_decref(d->json);
  api_arena_free(&d->arena);
}

/* The first fault has this problem's name and this pointer (NULL: not compared), and its detail
 * contains the words (NULL: any). */
static inline void document_expect(const document *d, const char *name, const char *problem,
                                   const char *pointer, const char *words) {
  if (!problem) {
    if (d->faults.count)
      CHECK_FAIL("%s: refused: %s at \"%s\"", name, d->faults.items[0].detail,
                 d->faults.items[0].pointer);
    return;
  }
  if (!d->faults.count) {
    CHECK_FAIL("%s: accepted, should be %s", name, problem);
    return;
  }
  const api_fault *fault = &d->faults.items[0];
  const char *got = api_problem_get(d->faults.id)->name;
  if (strcmp(got, problem) != 0)
    CHECK_FAIL("%s: problem is %s (%s), should be %s", name, got, fault->detail, problem);
  if (pointer && (!fault->has_pointer || strcmp(fault->pointer, pointer) != 0))
    CHECK_FAIL("%s: pointer is \"%s\" (%s), should be \"%s\"", name, fault->pointer, fault->detail,
               pointer);
  if (words && !strstr(fault->detail, words))
    CHECK_FAIL("%s: detail is \"%s\", should hold \"%s\"", name, fault->detail, words);
}

#endif
