/* Islands: dynamic bodies that contacts link, directly or through one another. What cannot be moved
 * links nothing, and stands in each island that it touches. Union-find by the lowest body (Tarjan
 * 1975), so islands come in the order of their first row.
 */
#include "mechanics/mechanics_build.h"

#include <stdlib.h>

typedef struct linking {
  const ct_mechanics_parts *parts;
  uint32_t *parent;  /* [dynamic_count] a root is the lowest of its island */
  uint32_t *island;  /* [dynamic_count] number, or CT_NO_ROW: none */
  uint8_t *asked;    /* [dynamic_count] 1: has a contact, or is an island without */
  uint64_t *members; /* island << 32 | row, ascending */
  size_t member_count;
} linking;

static uint32_t root_of(uint32_t *parent, uint32_t i) {
  while (parent[i] != i) {
    parent[i] = parent[parent[i]];
    i = parent[i];
  }
  return i;
}

/* A dynamic body of the contact, by its place. */
static uint32_t anchor_of(const ct_mechanics_parts *parts, const ct_contact *t) {
  return parts->place[t->a] != CT_NO_ROW ? parts->place[t->a] : parts->place[t->b];
}

static void link_bodies(linking *l) {
  const ct_mechanics_parts *parts = l->parts;
  for (uint32_t i = 0; i < parts->dynamic_count; i++) l->parent[i] = i;
  for (size_t k = 0; k < parts->count; k++) {
    const ct_contact *t = &parts->contacts[k];
    uint32_t a = parts->place[t->a], b = parts->place[t->b];
    l->asked[anchor_of(parts, t)] = 1;
    if (a == CT_NO_ROW || b == CT_NO_ROW) continue;
    l->asked[b] = 1;
    a = root_of(l->parent, a);
    b = root_of(l->parent, b);
    l->parent[a > b ? a : b] = a > b ? b : a;
  }
}

/* Bodies that the caller asks about. */
static void select_bodies(linking *l) {
  const ct_mechanics_parts *parts = l->parts;
  const ct_mechanics_options *o = parts->options;
  if (o->explicit_pairs) {
    for (size_t k = 0; k < o->pair_count; k++) {
      const uint32_t ends[2] = {o->pairs[k].a, o->pairs[k].b};
      for (int i = 0; i < 2; i++)
        if (parts->place[ends[i]] != CT_NO_ROW) l->asked[parts->place[ends[i]]] = 1;
    }
    return;
  }
  for (size_t i = 0; i < parts->dynamic_count; i++) {
    uint32_t row = parts->dynamic[i];
    bool asked = (!o->where_a && !o->where_b) || (o->where_a && o->where_a[row]) ||
                 (o->where_b && o->where_b[row]);
    if (asked) l->asked[i] = 1;
  }
}

/* Numbers the islands by their lowest body. */
static size_t number_islands(linking *l) {
  size_t count = 0;
  for (uint32_t i = 0; i < l->parts->dynamic_count; i++) {
    uint32_t root = root_of(l->parent, i);
    l->island[i] = root != i ? l->island[root] : l->asked[i] ? (uint32_t)count++ : CT_NO_ROW;
  }
  return count;
}

static int by_number(const void *x, const void *y) {
  uint64_t a = *(const uint64_t *)x, b = *(const uint64_t *)y;
  return (a > b) - (a < b);
}

static void add_member(linking *l, uint32_t island, uint32_t row) {
  l->members[l->member_count++] = (uint64_t)island << 32 | row;
}

/* Bodies of all islands, each once in its island. */
static void list_members(linking *l) {
  const ct_mechanics_parts *parts = l->parts;
  for (size_t i = 0; i < parts->dynamic_count; i++)
    if (l->island[i] != CT_NO_ROW) add_member(l, l->island[i], parts->dynamic[i]);
  for (size_t k = 0; k < parts->count; k++) {
    const ct_contact *t = &parts->contacts[k];
    uint32_t island = l->island[anchor_of(parts, t)];
    if (parts->place[t->a] == CT_NO_ROW) add_member(l, island, t->a);
    if (parts->place[t->b] == CT_NO_ROW) add_member(l, island, t->b);
  }
  qsort(l->members, l->member_count, sizeof *l->members, by_number);
  size_t kept = 0;
  for (size_t i = 0; i < l->member_count; i++)
    if (i == 0 || l->members[i] != l->members[kept - 1]) l->members[kept++] = l->members[i];
  l->member_count = kept;
}

/* ---- laid out ------------------------------------------------------------------------------- */

static void place_bodies(const linking *l, ct_mechanics *out) {
  for (size_t i = 0; i < l->member_count; i++) {
    ct_island_range *range = &out->islands[l->members[i] >> 32];
    uint32_t row = (uint32_t)l->members[i], place = l->parts->place[row];
    if (range->body_count++ == 0) range->body = i;
    out->rows[i] = row;
    if (place != CT_NO_ROW) out->bodies[i] = l->parts->bodies[place];
    else ct_mechanics_body(l->parts, row, &out->bodies[i]);
  }
}

static uint32_t local_of(const ct_mechanics *out, const ct_island_range *range, uint32_t row) {
  const uint32_t *rows = out->rows + range->body;
  size_t low = 0, high = range->body_count;
  while (high - low > 1) {
    size_t middle = low + (high - low) / 2;
    if (rows[middle] <= row) low = middle;
    else high = middle;
  }
  return (uint32_t)low;
}

/* Contacts by islands, in each in the order that they were found in. */
static void place_touches(const linking *l, ct_mechanics *out) {
  const ct_mechanics_parts *parts = l->parts;
  for (size_t k = 0; k < parts->count; k++)
    out->islands[l->island[anchor_of(parts, &parts->contacts[k])]].contact_count++;
  size_t at = 0;
  for (size_t i = 0; i < out->island_count; i++) {
    out->islands[i].contact = at;
    at += out->islands[i].contact_count;
    out->islands[i].contact_count = 0;
  }
  for (size_t k = 0; k < parts->count; k++) {
    ct_island_range *range = &out->islands[l->island[anchor_of(parts, &parts->contacts[k])]];
    size_t to = range->contact + range->contact_count++;
    out->numbers[to] = (uint32_t)k;
    out->contacts[to] = parts->contacts[k];
    out->contacts[to].a = local_of(out, range, parts->contacts[k].a);
    out->contacts[to].b = local_of(out, range, parts->contacts[k].b);
  }
  out->count = parts->count;
}

static ct_status lay_out(linking *l, ct_mechanics *out) {
  link_bodies(l);
  select_bodies(l);
  out->island_count = number_islands(l);
  list_members(l);
  out->islands = calloc(out->island_count + 1, sizeof *out->islands);
  out->bodies = malloc((l->member_count + 1) * sizeof *out->bodies);
  out->rows = malloc((l->member_count + 1) * sizeof *out->rows);
  out->contacts = malloc((l->parts->count + 1) * sizeof *out->contacts);
  out->numbers = malloc((l->parts->count + 1) * sizeof *out->numbers);
  if (!out->islands || !out->bodies || !out->rows || !out->contacts || !out->numbers)
    return CT_OUT_OF_MEMORY;
  place_bodies(l, out);
  place_touches(l, out);
  return CT_OK;
}

ct_status ct_mechanics_link(const ct_mechanics_parts *parts, ct_mechanics *out) {
  size_t dynamic = parts->dynamic_count;
  linking l = {.parts = parts,
               .parent = malloc((dynamic + 1) * sizeof *l.parent),
               .island = malloc((dynamic + 1) * sizeof *l.island),
               .asked = calloc(dynamic + 1, 1),
               .members = malloc((dynamic + parts->count + 1) * sizeof *l.members)};
  bool got = l.parent && l.island && l.asked && l.members;
  ct_status status = got ? lay_out(&l, out) : CT_OUT_OF_MEMORY;
  free(l.parent);
  free(l.island);
  free(l.asked);
  free(l.members);
  return status;
}
