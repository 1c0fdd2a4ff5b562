/* Internals of a probe, private to engine/query. */
#ifndef QUERY_PROBE_H
#define QUERY_PROBE_H

#include "query/query.h"

#include <contact/probe.h>

struct ct_probe {
  const ct_scene *scene;
  ct_probe_options options;
  ct_query *query; /* poses, boxes and tree of the rows */
  size_t items;
  ct_frame region_frame;
  ct_aabb region_box;
  uint32_t *rows; /* REGION: the items, ascending rows */
};

/* A range in evaluation: the hits of an item, and scratch. */
typedef struct ct_probe_range {
  const ct_probe *probe;
  ct_workspace *workspace;
  uint32_t item;
  ct_probe_hit *hits; /* of the current item */
  size_t count, capacity;
  double limit; /* hits farther than this are irrelevant */
  ct_placed_body placed;
  uint32_t placed_row; /* the row that `placed` contains, or CT_NO_ROW */
  uint32_t steps;      /* since the last poll of the cancel flag */

  /* RAYCAST */
  ct_ray_crossing *crossings; /* of one collider */
  size_t crossing_room;
  ct_ray ray;
  ct_vec3 direction; /* of the ray, scaled by a power of two so that its largest component is
                        between 1 and 2 */
  double length;     /* of the scaled direction */
  double size;       /* largest coordinate of the ray's origin */
  /* NEAREST, POINT */
  ct_vec3 point;
} ct_probe_range;

/* Writes the hits of one item to run->hits, in order. */
ct_status ct_probe_item_ray(ct_probe_range *run);
ct_status ct_probe_item_point(ct_probe_range *run);
ct_status ct_probe_item_region(ct_probe_range *run);

/* Finds the rows that the region may reach. */
ct_status ct_probe_find_rows(ct_probe *probe);

#endif
