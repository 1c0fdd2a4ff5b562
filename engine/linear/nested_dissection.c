/* Nested dissection by level structures. */
#include "linear/nested_dissection.h"

#include "linear/arena.h"

/* Vertices that are not divided any more: a walk's order, backwards, is as good. */
#define WHOLE_MAX 24
/* Of the vertices, the part that each side of a separator has at least, where there is such a
 * level. */
#define SIDE_PART 0.25

/* Vertices order[from] .. order[to - 1]. */
typedef struct span {
  size_t from, to;
  bool connected;
} span;

typedef struct dissection {
  const ct_graph *graph;
  uint32_t *order, *queue;
  uint32_t *label; /* [count] the number of the span that a vertex was last in */
  uint32_t *level; /* [count] of the walk that is going on, from 1; 0: not reached */
  uint32_t spans;
  span *stack; /* [count] */
  size_t waiting;
} dissection;

/* Everything that hangs together with `root` within the span of that label goes to the queue from
 * `begin` on; the end. */
static size_t walk(const dissection *d, uint32_t root, uint32_t label, size_t begin) {
  size_t end = begin;
  d->queue[end++] = root;
  d->level[root] = 1;
  for (size_t at = begin; at < end; at++) {
    uint32_t v = d->queue[at];
    for (size_t e = d->graph->starts[v]; e < d->graph->starts[v + 1]; e++) {
      uint32_t w = d->graph->neighbours[e];
      if (d->label[w] != label || d->level[w] != 0) continue;
      d->level[w] = d->level[v] + 1;
      d->queue[end++] = w;
    }
  }
  return end;
}

static void push(dissection *d, size_t from, size_t to, bool connected) {
  if (to > from) d->stack[d->waiting++] = (span){from, to, connected};
}

static void forget(const dissection *d, span s) {
  for (size_t i = s.from; i < s.to; i++) d->level[d->order[i]] = 0;
}

/* Parts that do not touch each other, one after the other. */
static void part(dissection *d, span s, uint32_t label) {
  size_t end = s.from;
  for (size_t i = s.from; i < s.to; i++) {
    if (d->level[d->order[i]] != 0) continue;
    size_t begin = end;
    end = walk(d, d->order[i], label, begin);
    push(d, begin, end, true);
  }
  for (size_t i = s.from; i < s.to; i++) d->order[i] = d->queue[i];
}

/* The level between two sides that are large enough which has the fewest vertices; 0: there is
 * none. Levels follow each other in the queue. */
static uint32_t choose(const dissection *d, span s) {
  size_t size = s.to - s.from, least = SIZE_MAX;
  uint32_t best = 0;
  for (size_t i = s.from, end; i < s.to; i = end) {
    uint32_t level = d->level[d->queue[i]];
    for (end = i; end < s.to && d->level[d->queue[end]] == level;) end++;
    size_t before = i - s.from, behind = s.to - end, side = before < behind ? before : behind;
    if ((double)side < SIDE_PART * (double)size || end - i >= least) continue;
    least = end - i;
    best = level;
  }
  return best;
}

/* Vertices of the level that touch the next one. */
static bool separates(const dissection *d, uint32_t v, uint32_t level, uint32_t label) {
  if (d->level[v] != level) return false;
  for (size_t e = d->graph->starts[v]; e < d->graph->starts[v + 1]; e++) {
    uint32_t w = d->graph->neighbours[e];
    if (d->label[w] == label && d->level[w] == level + 1) return true;
  }
  return false;
}

/* Before the separator, behind it, itself; no level, no separator: what comes late in the walk is
 * eliminated first. */
static void divide(dissection *d, span s, uint32_t label) {
  uint32_t level = s.to - s.from > WHOLE_MAX ? choose(d, s) : 0;
  if (level == 0) {
    for (size_t i = s.from; i < s.to; i++) d->order[i] = d->queue[s.to - 1 - (i - s.from)];
    return;
  }
  size_t at = s.from;
  for (size_t i = s.from; i < s.to; i++)
    if (d->level[d->queue[i]] <= level && !separates(d, d->queue[i], level, label))
      d->order[at++] = d->queue[i];
  size_t middle = at;
  for (size_t i = s.from; i < s.to; i++)
    if (d->level[d->queue[i]] > level) d->order[at++] = d->queue[i];
  size_t last = at;
  for (size_t i = s.from; i < s.to; i++)
    if (separates(d, d->queue[i], level, label)) d->order[at++] = d->queue[i];
  push(d, s.from, middle, false);
  push(d, middle, last, false);
}

static void dissect(dissection *d) {
  while (d->waiting > 0) {
    span s = d->stack[--d->waiting];
    uint32_t label = ++d->spans;
    for (size_t i = s.from; i < s.to; i++) d->label[d->order[i]] = label;
    forget(d, s);
    if (!s.connected) {
      part(d, s, label);
      continue;
    }
    /* The last one of a walk from anywhere is at an end; once more from there. */
    for (int turn = 0; turn < 3; turn++) {
      uint32_t root = turn == 0 ? d->order[s.from] : d->queue[s.to - 1];
      forget(d, s);
      (void)walk(d, root, label, s.from);
    }
    divide(d, s, label);
  }
}

bool ct_nested_order(const ct_graph *graph, uint32_t *order, ct_arena *arena) {
  dissection d = {.graph = graph, .order = order};
  ct_arena_mark mark = ct_arena_enter(arena);
  d.queue = ct_arena_alloc(arena, 3 * graph->count + 1, sizeof *d.queue);
  d.stack = ct_arena_alloc(arena, graph->count + 2, sizeof *d.stack);
  bool memory_had = d.queue && d.stack;
  if (memory_had) {
    d.label = d.queue + graph->count;
    d.level = d.label + graph->count;
    for (uint32_t v = 0; v < graph->count; v++) {
      order[v] = v;
      d.label[v] = d.level[v] = 0;
    }
    push(&d, 0, graph->count, false);
    dissect(&d);
  }
  ct_arena_leave(arena, mark);
  return memory_had;
}
