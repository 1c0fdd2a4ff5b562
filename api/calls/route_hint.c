/* Compares a path with the templates of the route table, segment by segment, by the edit distance
 * of api_spelling. */
#include "calls/route_hint.h"

#include <string.h>

#include "calls/routes.h"

/* Maximal number of segments: one more than any template has. */
#define SEGMENTS_MAX 7

typedef struct raw_path {
  ct_text items[SEGMENTS_MAX];
  size_t count;
} raw_path;

/* Splits at slashes; ignores empty segments. Too many segments: none. */
static raw_path split_undecoded(const char *path, bool versioned) {
  raw_path out = {0};
  if (versioned) out.items[out.count++] = (ct_text){"v1", 2};
  while (*path) {
    path += strspn(path, "/");
    size_t length = strcspn(path, "/");
    if (length && out.count == SEGMENTS_MAX) return (raw_path){0};
    if (length) out.items[out.count++] = (ct_text){path, length};
    path += length;
  }
  return out;
}

/* Sum of edit distances of the fixed segments; a difference in case counts 1. SIZE_MAX: not
 * similar. */
static size_t sum_segment_distances(const raw_path *given, const raw_path *template) {
  size_t sum = 0;
  if (given->count != template->count) return SIZE_MAX;
  for (size_t i = 0; i < given->count; i++) {
    ct_text word = given->items[i], known = template->items[i];
    if (known.bytes[0] == '{' ||
        (word.length == known.length && memcmp(word.bytes, known.bytes, word.length) == 0))
      continue;
    api_spelling likeness = api_spelling_start(word.bytes, word.length);
    api_spelling_consider(&likeness, known.bytes, known.length);
    if (!likeness.best.length) return SIZE_MAX;
    sum += likeness.distance ? likeness.distance : 1;
  }
  return sum;
}

static void write_suggested_path(const raw_path *given, const raw_path *template,
                                 char out[API_ROUTE_HINT_BYTES]) {
  size_t used = 0;
  for (size_t i = 0; i < template->count; i++) {
    ct_text part = template->items[i].bytes[0] == '{' ? given->items[i] : template->items[i];
    if (used + part.length + 2 > API_ROUTE_HINT_BYTES) {
      used = 0;
      break;
    }
    out[used++] = '/';
    memcpy(out + used, part.bytes, part.length);
    used += part.length;
  }
  out[used] = 0;
}

/* Makes the route's path the suggestion if it is nearer than the best one so far. */
static void consider_route(const raw_path *given, const char *path, size_t *best,
                           char out[API_ROUTE_HINT_BYTES]) {
  raw_path template = split_undecoded(path, false);
  size_t distance = sum_segment_distances(given, &template);
  if (distance >= *best) return;
  *best = distance;
  write_suggested_path(given, &template, out);
}

void api_route_hint(const char *path, char out[API_ROUTE_HINT_BYTES]) {
  static const char *const of_server[] = {"/livez", "/readyz", "/metrics"};
  size_t best = SIZE_MAX;
  out[0] = 0;
  for (int versioned = 0; versioned < 2; versioned++) {
    raw_path given = split_undecoded(path, versioned);
    for (size_t i = 0; i < api_route_count && given.count; i++)
      consider_route(&given, api_routes[i].path, &best, out);
    for (size_t i = 0; i < sizeof of_server / sizeof of_server[0] && given.count; i++)
      consider_route(&given, of_server[i], &best, out);
  }
}
