/* A probe's insides, for the files of this room. */
#ifndef QUERY_PROBE_H
#define QUERY_PROBE_H

#include "query/query.h"

#include <contact/probe.h>

struct ct_probe {
  const ct_scene *scene;
  ct_probe_options options;
  ct_query *query; /* poses and boxes of the rows, and the tree */
  size_t items;
  ct_frame region_frame;
  ct_aabb region_box;
  uint32_t *rows; /* REGION: the items, ascending */
};

/* A range being run: what is found of an item, and scratch. */
typedef struct ct_probe_range {
  const ct_probe *probe;
  ct_workspace *workspace;
  uint32_t item;
  ct_probe_hit *hits; /* of the item */
  size_t count, capacity;
  double limit; /* what is farther does not matter any more */
  ct_placed_body placed;
  uint32_t placed_row; /* that `placed` stands for, or CT_NO_ROW */
  uint32_t steps;      /* since the cancel flag was looked at */

  /* RAYCAST */
  ct_ray_crossing *crossings; /* of a collider */
  size_t crossing_room;
  ct_ray ray;
  ct_vec3 direction; /* the ray's, its largest component between 1 and 2 */
  double length;     /* of it */
  double size;       /* largest coordinate of the ray's origin */
  /* NEAREST, POINT */
  ct_vec3 point;
} ct_probe_range;

/* The hits of one item into run->hits, in order. */
ct_status ct_probe_item_ray(ct_probe_range *run);
ct_status ct_probe_item_point(ct_probe_range *run);
ct_status ct_probe_item_region(ct_probe_range *run);

/* The rows that the region may reach. */
ct_status ct_probe_find_rows(ct_probe *probe);

#endif
