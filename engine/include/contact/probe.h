/* Probes of a scene: ray casts, nearest bodies, bodies that contain points, bodies in a region.
 *
 * A probe is prepared once and then run over ranges of items, by any number of threads with one
 * workspace each. Hits are in canonical order, so concatenated ranges give the same list for every
 * partition. Items are the rays, the points, or the candidate bodies of a region. Each collider of
 * a body is a separate solid. Pair filters do not apply. */
#ifndef CONTACT_PROBE_H
#define CONTACT_PROBE_H

#include <contact/base.h>
#include <contact/query.h>
#include <contact/ray.h>

CT_DECLARATIONS_BEGIN

/* Hits of each kind, and their order for one item:
 * - RAYCAST: crossings of the ray with solids, by distance, then exits before entries, row,
 *   collider.
 * - NEAREST: bodies nearest to the point, by signed distance (so bodies that contain the point are
 *   first), then row.
 * - POINT: bodies with a solid that contains the point, by row.
 * - REGION: bodies that share a point with the region, by row. */
typedef enum ct_probe_kind {
  CT_PROBE_RAYCAST,
  CT_PROBE_NEAREST,
  CT_PROBE_POINT,
  CT_PROBE_REGION
} ct_probe_kind;

typedef struct ct_probe_options {
  ct_probe_kind kind;
  const ct_ray *rays;    /* RAYCAST: [count] */
  bool all;              /* RAYCAST: true: all crossings of each ray; false: only its first */
  const ct_vec3 *points; /* NEAREST, POINT: [count] world, m */
  size_t count;
  uint32_t nearest; /* NEAREST: largest number of bodies per point; 0: 1 */
  double reach;     /* NEAREST: maximum distance, m; INFINITY: unlimited */
  ct_shape region;  /* REGION; its hull, mesh or elements are borrowed */
  ct_pose region_pose;
  /* REGION: true: only bodies that are entirely inside the region are hits; false: all that share a
   * point with it */
  bool inside;
  ct_broadphase broadphase;     /* does not affect the hits */
  const uint8_t *where;         /* [rows of the scene] 1: the body can be hit; NULL: all bodies
                                   can */
  const ct_override *overrides; /* [override_count] poses that replace those of the scene, sorted by
                                   row, each row once */
  size_t override_count;
  const ct_cancel *cancel; /* NULL: never */
} ct_probe_options;
/* Defaults: RAYCAST without rays; nearest 1, reach 0. */
ct_probe_options ct_probe_options_default(void);

typedef struct ct_probe_hit {
  uint32_t item; /* index of the ray or point in the options; REGION: number of the candidate
                    body */
  uint32_t rank; /* index of the hit among the item's hits, from 0 */
  uint32_t row;
  /* RAYCAST: the crossed collider; NEAREST, POINT: the nearest collider; REGION: the first that
   * overlaps the region */
  uint32_t collider;
  /* RAYCAST: distance along the ray; NEAREST, POINT: signed distance, negative inside a solid; m */
  double distance;
  ct_vec3 position; /* point on the body's surface, world, m */
  /* unit normal out of the body at `position`; NEAREST, POINT: the queried point is position +
   * distance * normal */
  ct_vec3 normal;
  bool entering;     /* RAYCAST: true if the ray enters the solid, false if it leaves it */
  bool inside;       /* REGION: true if the whole body is inside the region */
  uint32_t triangle; /* meshes: the triangle at `position`; else CT_NO_TRIANGLE */
  ct_pair_status status;
  uint32_t flags; /* NEAREST, POINT: as in ct_pair_result */
} ct_probe_hit;

typedef struct ct_probe ct_probe;

/* Prepares a probe. Borrows the scene and everything in options until ct_probe_destroy. The first
 * query of a revision builds its tree. The caller owns *out.
 * CT_LIMIT: a zero ray direction; a region without size, hull, mesh or elements; an override of a
 * missing row. CT_CANCELLED, CT_OUT_OF_MEMORY. */
ct_status ct_probe_prepare(const ct_scene *scene, const ct_probe_options *options, ct_probe **out);
/* Frees the probe; NULL is allowed. */
void ct_probe_destroy(ct_probe *probe);
/* Returns the number of items: rays, points, or candidate bodies of the region. */
size_t ct_probe_items(const ct_probe *probe);
/* Returns an estimate of the cost of the whole probe, ns on one core, for scheduling and
 * partitioning. */
double ct_probe_cost(const ct_probe *probe);

/* Receives each hit, in order; if it returns false, the range ends with CT_OK. */
typedef bool (*ct_probe_sink)(void *context, const ct_probe_hit *hit);

/* Evaluates the items [range->begin, range->end), that is, rays, points or candidate bodies, and
 * calls the sink for their hits, except hits of item `begin` with rank <= range->after (CT_NO_ROW:
 * none is skipped). CT_CANCELLED, CT_OUT_OF_MEMORY. Cost per item: a descent of the revision's
 * tree, and the narrow phase for the few candidate bodies. */
ct_status ct_probe_run(const ct_probe *probe, const ct_query_range *range, ct_workspace *workspace,
                       ct_probe_sink sink, void *context);

CT_DECLARATIONS_END

#endif
