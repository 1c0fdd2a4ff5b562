/* Orders the stops of a ray exactly, and computes the winding number between them.
 *
 * The winding number changes at a stop as along an infinitesimally displaced ray (simulation of
 * simplicity; Edelsbrunner, Muecke 1990), which intersects no edge and no vertex: it passes through
 * each triangle or misses it. Outside of coplanar intervals both rays have the same winding number.
 * Two events are ordered by their rounded parameters if these differ by more than their error, else
 * by exact predicates. */
#include "ray/ray_mesh_crossings.h"
#include "base/array.h"
#include "base/heap_sort.h"
#include "pair/workspace.h"

#include <assert.h>
#include <stdlib.h>

/* Initial capacity of the list of hits, enough for most rays. */
#define FIRST_CAPACITY 32u

static void release_ray_part(void *part) {
  ct_ray_scratch *memory = part;
  free(memory->hits);
  free(memory->events);
}

const ct_workspace_part_type ct_ray_part_type = {sizeof(ct_ray_scratch), CT_NO_FLAG,
                                                 release_ray_part};
_Static_assert(sizeof(ct_ray_scratch) <= CT_WORKSPACE_PART_MAX, "the part fits its slot");

static bool reserve_hits(ct_ray_scratch *m, size_t count) {
  return ct_array_reserve(&m->hits, &m->capacity, count, sizeof *m->hits);
}

static bool find_ray_hits(ct_ray_walk *walk, double t_max, bool near, ct_ray_scratch *m) {
  const ct_ray_range first = {walk->origin, walk->direction, t_max, walk->same};
  if (!reserve_hits(m, FIRST_CAPACITY)) return false;
  for (;;) {
    size_t count = near ? ct_mesh_ray_near(walk->mesh, &first, m->hits, m->capacity)
                        : ct_mesh_ray_all(walk->mesh, walk->origin, walk->direction, t_max, m->hits,
                                          m->capacity);
    walk->hits = m->hits;
    walk->hit_count = count;
    if (count <= m->capacity) return true;
    if (!reserve_hits(m, count)) return false;
  }
}

/* ---- order ---------------------------------------------------------------------------------- */

static ct_line_place get_event_place(const ct_ray_walk *walk, const ct_ray_event *event) {
  const ct_mesh_hit *hit = &walk->hits[event->hit];
  if (event->kind == CT_RAY_PASSES) return ct_mesh_hit_place(walk->mesh, hit);
  ct_line_place span[2];
  int count = ct_mesh_line_span(walk->mesh, walk->origin, walk->direction, hit->position, span);
  assert(count > 0);
  return span[event->kind == CT_RAY_BEGINS ? 0 : count - 1];
}

/* Compares two events along the ray: by rounded parameters if they differ by more than their error,
 * else exactly. */
static int compare_events(const ct_ray_walk *walk, const ct_ray_event *a, const ct_ray_event *b) {
  if (fabs(a->t - b->t) > walk->same) return a->t < b->t ? -1 : 1;
  ct_line_place p = get_event_place(walk, a), q = get_event_place(walk, b);
  return ct_line_place_compare(walk->origin, walk->direction, &p, &q);
}

static bool is_event_before(const void *items, const void *by, size_t i, size_t j) {
  const ct_ray_event *a = (const ct_ray_event *)items + i, *b = (const ct_ray_event *)items + j;
  int order = compare_events(by, a, b);
  if (order != 0) return order < 0;
  return a->hit != b->hit ? a->hit < b->hit : a->kind < b->kind;
}

static void swap_events(void *items, size_t i, size_t j) {
  ct_ray_event *events = items, t = events[i];
  events[i] = events[j];
  events[j] = t;
}

/* Sorts the events in exact order. They arrive sorted by rounded parameters, usually the exact
 * order already; heap sort is used only if not. */
static void sort_events(const ct_ray_walk *walk, ct_ray_event *events) {
  size_t i = 1;
  while (i < walk->event_count && !is_event_before(events, walk, i, i - 1)) i++;
  if (i < walk->event_count)
    ct_heap_sort(events, walk->event_count, walk, is_event_before, swap_events, NULL);
}

/* Adds the begin and end events of the interval in which the line runs within coplanar triangle `i`
 * of the hits. If the interval begins before the ray's origin, it is counted in walk->within
 * instead of a begin event. */
static void add_coplanar_interval(ct_ray_walk *walk, uint32_t i, ct_ray_event *events) {
  ct_line_place span[2];
  int count =
      ct_mesh_line_span(walk->mesh, walk->origin, walk->direction, walk->hits[i].position, span);
  if (count < 2) return;
  int sign = ct_line_place_sign(walk->origin, walk->direction, &span[0]);
  double end = ct_line_place_at(walk->origin, walk->direction, &span[1]);
  if (sign < 0) walk->within++;
  else events[walk->event_count++] = (ct_ray_event){walk->hits[i].t, i, CT_RAY_BEGINS};
  events[walk->event_count++] = (ct_ray_event){end, i, CT_RAY_ENDS};
}

bool ct_ray_walk_open(ct_ray_walk *walk, double t_max, bool near, ct_workspace *workspace) {
  ct_ray_scratch *m = ct_workspace_ray(workspace);
  assert(walk->same >= 0.0);
  walk->next = walk->event_count = 0;
  walk->within = 0;
  if (!find_ray_hits(walk, t_max, near, m) ||
      !ct_array_reserve(&m->events, &m->event_capacity, 2 * walk->hit_count, sizeof *m->events))
    return false;
  for (uint32_t i = 0; i < walk->hit_count; i++) {
    if (walk->hits[i].side == 0) add_coplanar_interval(walk, i, m->events);
    else m->events[walk->event_count++] = (ct_ray_event){walk->hits[i].t, i, CT_RAY_PASSES};
  }
  sort_events(walk, m->events);
  walk->events = m->events;
  assert(walk->event_count <= 2 * walk->hit_count);
  return true;
}

/* ---- inside and outside --------------------------------------------------------------------- */

static bool is_in_mesh_box(const ct_aabb *box, ct_vec3 p) {
  return p.x >= box->min.x && p.x <= box->max.x && p.y >= box->min.y && p.y <= box->max.y &&
         p.z >= box->min.z && p.z <= box->max.z;
}

bool ct_ray_walk_start(ct_ray_walk *walk) {
  walk->turns = 0;
  if (!is_in_mesh_box(&ct_mesh_get(walk->mesh)->box, walk->origin)) return true;
  return ct_mesh_side_turns(walk->mesh, walk->origin, NULL, &walk->turns) != CT_MESH_ON;
}

void ct_ray_walk_sum(ct_ray_walk *walk) {
  walk->turns = 0;
  for (size_t i = 0; i < walk->hit_count; i++)
    if (walk->hits[i].side != 0)
      walk->turns -= ct_mesh_ray_passage(walk->mesh, walk->direction, &walk->hits[i], 1);
}

bool ct_ray_walk_next(ct_ray_walk *walk, ct_ray_stop *stop) {
  if (walk->next == walk->event_count) return false;
  const ct_ray_event *first = &walk->events[walk->next];
  *stop = (ct_ray_stop){.begin = walk->next, .t = first->t, .within_before = walk->within > 0};
  stop->inside_before = walk->within > 0 || walk->turns >= 1;
  do {
    const ct_ray_event *event = &walk->events[walk->next];
    if (event->kind == CT_RAY_BEGINS) walk->within++;
    else if (event->kind == CT_RAY_ENDS) {
      assert(walk->within > 0); /* each interval begins before it ends */
      walk->within--;
    } else
      walk->turns += ct_mesh_ray_passage(walk->mesh, walk->direction, &walk->hits[event->hit], 1);
    walk->next++;
  } while (walk->next < walk->event_count &&
           compare_events(walk, &walk->events[walk->next - 1], &walk->events[walk->next]) == 0);
  stop->end = walk->next;
  stop->within_after = walk->within > 0;
  stop->inside_after = walk->within > 0 || walk->turns >= 1;
  return true;
}
