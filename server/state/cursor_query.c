/* Cached queries of cursors: an array per scene, in order of age. Texts are shared by reference
 * count. */
#include "state/cursor_query.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static uint64_t get_text_bytes(const srv_query_text *text) { return sizeof *text + text->length; }

static void release_query_text(srv_query_text *text) {
  if (atomic_fetch_sub_explicit(&text->references, 1, memory_order_acq_rel) == 1) free(text);
}

static void drop_query(srv_cursor_queries *queries, srv_cursor_query_bounds *bounds, size_t index) {
  bounds->bytes -= get_text_bytes(queries->items[index].text);
  release_query_text(queries->items[index].text);
  queries->count--;
  memmove(queries->items + index, queries->items + index + 1,
          (queries->count - index) * sizeof *queries->items);
}

static srv_query_text *copy_query(const api_kept_query *query) {
  srv_query_text *text = malloc(sizeof *text + query->length);
  if (!text) return NULL;
  atomic_init(&text->references, 1);
  text->hash = query->hash;
  text->length = query->length;
  memcpy(text->bytes, query->bytes, query->length);
  return text;
}

void srv_cursor_queries_add(srv_cursor_queries *queries, srv_cursor_query_bounds *bounds,
                            const api_kept_query *query, uint64_t expires_ns) {
  for (size_t i = 0; i < queries->count; i++) {
    srv_cursor_query kept = queries->items[i];
    if (kept.text->hash != query->hash) continue;
    /* move the query to the end: it becomes the youngest */
    memmove(queries->items + i, queries->items + i + 1,
            (queries->count - i - 1) * sizeof *queries->items);
    queries->items[queries->count - 1] = (srv_cursor_query){kept.text, expires_ns};
    return;
  }
  if (!queries->items) queries->items = calloc(bounds->per_scene, sizeof *queries->items);
  if (!queries->items || sizeof(srv_query_text) + query->length > bounds->bytes_max) return;
  if (queries->count == bounds->per_scene) drop_query(queries, bounds, 0);
  uint64_t weight = sizeof(srv_query_text) + query->length;
  while (queries->count > 0 && bounds->bytes + weight > bounds->bytes_max)
    drop_query(queries, bounds, 0);
  srv_query_text *text = bounds->bytes + weight <= bounds->bytes_max ? copy_query(query) : NULL;
  if (!text) return;
  bounds->bytes += weight;
  queries->items[queries->count++] = (srv_cursor_query){text, expires_ns};
  assert(queries->count <= bounds->per_scene);
}

void srv_cursor_queries_expire(srv_cursor_queries *queries, srv_cursor_query_bounds *bounds,
                               uint64_t now_ns) {
  while (queries->count > 0 && queries->items[0].expires_ns <= now_ns)
    drop_query(queries, bounds, 0);
  if (queries->count > 0) return;
  free(queries->items);
  queries->items = NULL;
}

bool srv_cursor_queries_retain(const srv_cursor_queries *queries, srv_retained_queries *out) {
  *out = (srv_retained_queries){.count = 0};
  if (queries->count == 0) return true;
  api_kept_query *items = malloc(queries->count * sizeof *items);
  srv_query_text **texts = malloc(queries->count * sizeof *texts);
  if (!items || !texts) {
    free(items);
    free(texts);
    return false;
  }
  for (size_t i = 0; i < queries->count; i++) {
    srv_query_text *text = queries->items[i].text;
    atomic_fetch_add_explicit(&text->references, 1, memory_order_relaxed);
    texts[i] = text;
    items[i] = (api_kept_query){text->hash, text->bytes, text->length};
    if (text->length > out->longest) out->longest = text->length;
  }
  out->items = items;
  out->texts = texts;
  out->count = queries->count;
  return true;
}

void srv_cursor_queries_release(srv_retained_queries *borrowed) {
  for (size_t i = 0; i < borrowed->count; i++) release_query_text(borrowed->texts[i]);
  free(borrowed->items);
  free(borrowed->texts);
  *borrowed = (srv_retained_queries){.count = 0};
}
