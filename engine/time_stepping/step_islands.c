/* Which contacts of a step have to be solved together. */
#include "advance/advance.h"
#include "linear/arena.h"

/* The first of the bodies linked with it; paths are halved on the way. */
static uint32_t find(uint32_t *parents, uint32_t i) {
  while (parents[i] != i) i = parents[i] = parents[parents[i]];
  return i;
}

static void join(uint32_t *parents, uint32_t i, uint32_t j) {
  i = find(parents, i);
  j = find(parents, j);
  if (i < j) parents[j] = i;
  else parents[i] = j;
}

static bool is_dynamic(const ct_advance *advance, uint32_t index) {
  return index != CT_NO_ROW && advance->next[index].is_dynamic;
}

/* The first body of each body's island into `roots`, CT_NO_ROW of bodies without a contact. */
static void link_bodies(const ct_advance *advance, uint32_t *roots, uint8_t *touched) {
  for (uint32_t i = 0; i < advance->moved_count; i++) {
    roots[i] = i;
    touched[i] = 0;
  }
  for (size_t k = 0; k < advance->found.count; k++) {
    const ct_step_contact *t = &advance->found.items[k];
    bool a = is_dynamic(advance, t->a), b = is_dynamic(advance, t->b);
    if (!t->takes_part) continue;
    if (a) touched[t->a] = 1;
    if (b) touched[t->b] = 1;
    if (a && b) join(roots, t->a, t->b);
  }
  for (uint32_t i = 0; i < advance->moved_count; i++) roots[i] = find(roots, i);
  for (uint32_t i = 0; i < advance->moved_count; i++)
    if (!touched[i]) roots[i] = CT_NO_ROW;
}

/* The islands' numbers in place of their first bodies: a body comes after the first of its island.
 */
static size_t number_islands(const ct_advance *advance, uint32_t *roots, uint32_t *numbers) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < advance->moved_count; i++) {
    if (roots[i] == CT_NO_ROW) continue;
    if (roots[i] == i) numbers[i] = count++;
    roots[i] = numbers[roots[i]];
  }
  return count;
}

static uint32_t island_of(const ct_advance *advance, const uint32_t *roots,
                          const ct_step_contact *t) {
  return roots[is_dynamic(advance, t->a) ? t->a : t->b];
}

static void starts_of(uint32_t *starts, size_t count) {
  for (size_t i = 0; i < count; i++) starts[i + 1] += starts[i];
  for (size_t i = count; i > 0; i--) starts[i] = starts[i - 1];
  starts[0] = 0;
}

/* By counting: what is filled in moves each start to the end, which is the next one's. */
static void sort_touches(const ct_advance *advance, const uint32_t *roots,
                         ct_step_islands *islands) {
  uint32_t *starts = islands->touch_starts;
  for (size_t i = 0; i <= islands->count; i++) starts[i] = 0;
  for (size_t k = 0; k < advance->found.count; k++)
    if (advance->found.items[k].takes_part)
      starts[island_of(advance, roots, &advance->found.items[k])]++;
  starts_of(starts, islands->count);
  for (size_t k = 0; k < advance->found.count; k++)
    if (advance->found.items[k].takes_part)
      islands->contacts[starts[island_of(advance, roots, &advance->found.items[k])]++] =
          (uint32_t)k;
  for (size_t i = islands->count; i > 0; i--) starts[i] = starts[i - 1];
  starts[0] = 0;
}

static void sort_bodies(const ct_advance *advance, const uint32_t *roots,
                        ct_step_islands *islands) {
  uint32_t *starts = islands->body_starts;
  for (size_t i = 0; i <= islands->count; i++) starts[i] = 0;
  for (size_t i = 0; i < advance->moved_count; i++)
    if (roots[i] != CT_NO_ROW) starts[roots[i]]++;
  starts_of(starts, islands->count);
  for (uint32_t i = 0; i < advance->moved_count; i++)
    if (roots[i] != CT_NO_ROW) islands->bodies[starts[roots[i]]++] = i;
  for (size_t i = islands->count; i > 0; i--) starts[i] = starts[i - 1];
  starts[0] = 0;
}

ct_status ct_step_find_islands(const ct_step *step, ct_step_islands *islands) {
  const ct_advance *advance = step->advance;
  size_t contacts = advance->found.count + 1, bodies = advance->moved_count + 1;
  islands->contacts = ct_arena_alloc(step->arena, contacts, sizeof(uint32_t));
  islands->touch_starts = ct_arena_alloc(step->arena, bodies, sizeof(uint32_t));
  islands->bodies = ct_arena_alloc(step->arena, bodies, sizeof(uint32_t));
  islands->body_starts = ct_arena_alloc(step->arena, bodies, sizeof(uint32_t));
  uint32_t *roots = ct_arena_alloc(step->arena, bodies, sizeof(uint32_t));
  uint32_t *numbers = ct_arena_alloc(step->arena, bodies, sizeof(uint32_t));
  uint8_t *touched = ct_arena_alloc(step->arena, bodies, 1);
  if (!islands->contacts || !islands->touch_starts || !islands->bodies || !islands->body_starts ||
      !roots || !numbers || !touched)
    return CT_OUT_OF_MEMORY;
  link_bodies(advance, roots, touched);
  islands->count = number_islands(advance, roots, numbers);
  sort_touches(advance, roots, islands);
  sort_bodies(advance, roots, islands);
  return CT_OK;
}
