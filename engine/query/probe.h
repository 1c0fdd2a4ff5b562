/* Internals of a probe, private to engine/query. */
#ifndef QUERY_PROBE_H
#define QUERY_PROBE_H

#include "base/poll.h"
#include "query/query.h"

#include <contact/probe.h>

struct ct_probe {
  const ct_scene *scene;
  ct_probe_options options;
  ct_query *query; /* prepared query of the scene, which provides poses, AABBs and the AABB tree of
                      the bodies */
  size_t items;
  ct_frame region_frame;
  ct_aabb region_box;
  uint32_t *rows; /* REGION: [items] row of each candidate body, ascending */
};

/* State of the evaluation of a range of items (rays, points or candidate bodies): the hits of the
 * current item, and scratch memory. */
typedef struct ct_probe_range {
  const ct_probe *probe;
  ct_workspace *workspace;
  uint32_t item;
  ct_probe_hit *hits; /* hits of the current item */
  size_t count, capacity;
  double limit; /* hits farther than this are discarded; decreases as hits are found, m */
  ct_placed_body placed;
  uint32_t placed_row; /* row of the body in `placed`, or CT_NO_ROW */
  ct_poll poll;        /* counts boxes and transformed colliders, a few ns each */

  /* RAYCAST */
  ct_ray_crossing *crossings; /* crossings of the ray with the current collider */
  size_t crossing_room;
  ct_ray ray;
  ct_vec3 direction; /* direction of the ray, scaled by a power of two so that its largest component
                        is between 1 and 2 */
  double length;     /* length of `direction` */
  double size;       /* largest absolute coordinate of the ray's origin, m */
  /* NEAREST, POINT */
  ct_vec3 point;
} ct_probe_range;

/* Steps between two polls of the cancel flag. */
#define CT_PROBE_STEPS_PER_POLL 4096

static inline ct_probe_range ct_probe_range_start(const ct_probe *probe, ct_workspace *workspace) {
  return (ct_probe_range){.probe = probe,
                          .workspace = workspace,
                          .placed_row = CT_NO_ROW,
                          .poll =
                              ct_poll_start_later(probe->options.cancel, CT_PROBE_STEPS_PER_POLL)};
}

/* Evaluates the item run->item and writes its hits to run->hits, in the order in which they are
 * reported. One function per kind of probe: RAYCAST; NEAREST and POINT; REGION. */
ct_status ct_probe_item_ray(ct_probe_range *run);
ct_status ct_probe_item_point(ct_probe_range *run);
ct_status ct_probe_item_region(ct_probe_range *run);

/* Finds the bodies whose AABBs intersect the AABB of the region, and stores their rows in
 * probe->rows. */
ct_status ct_probe_find_rows(ct_probe *probe);

#endif
