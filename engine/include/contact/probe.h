/* Probes of a scene: what rays hit, which bodies are nearest to points, which hold them, which are in a region.
 *
 * A probe is prepared once, then run over ranges of its items by any number of threads, each with its own workspace; hits come out
 * in canonical order, so ranges laid end to end give the same list whatever the cut. Items are the rays, the points, or the bodies
 * that a region may reach. Each collider of a body is a solid of its own. Filters, which are about pairs of bodies, have no say
 * here.
 */
#ifndef CONTACT_PROBE_H
#define CONTACT_PROBE_H

#include <contact/linkage.h>
#include <contact/query.h>
#include <contact/ray.h>

CT_DECLARATIONS_BEGIN

/* RAYCAST: crossings of each ray, by distance, then what is left before what is entered, then row,
 * then collider. NEAREST: the bodies nearest to each point, by distance, then row; the distance is
 * signed, so that a body which holds the point comes before one that does not. POINT: the bodies
 * whose solid holds each point, by row. REGION: the bodies that share a point with the region, by
 * row. */
typedef enum ct_probe_kind { CT_PROBE_RAYCAST, CT_PROBE_NEAREST, CT_PROBE_POINT, CT_PROBE_REGION } ct_probe_kind;

typedef struct ct_probe_options {
  ct_probe_kind kind;
  const ct_ray *rays;    /* RAYCAST: [count] */
  bool all;              /* RAYCAST: every crossing; else each ray's first */
  const ct_vec3 *points; /* NEAREST, POINT: [count] world, m */
  size_t count;
  uint32_t nearest; /* NEAREST: bodies for a point, at most; 0: 1 */
  double reach;     /* NEAREST: bodies farther away are none, m; INFINITY: any */
  ct_shape region;  /* REGION; borrows as shapes do */
  ct_pose region_pose;
  bool inside;                  /* REGION: only bodies that the region holds wholly */
  ct_broadphase broadphase;     /* changes no hit */
  const uint8_t *where;         /* [rows] 1 = looked at, NULL: all */
  const ct_override *overrides; /* what-if, sorted by row, each row once */
  size_t override_count;
  const ct_cancel *cancel; /* NULL: never */
} ct_probe_options;
/* Defaults: RAYCAST without rays; nearest 1, reach 0. */
ct_probe_options ct_probe_options_default(void);

typedef struct ct_probe_hit {
  uint32_t item; /* ray or point */
  uint32_t rank; /* hits of the item before this one */
  uint32_t row;
  uint32_t collider; /* RAYCAST: the one that is crossed; NEAREST, POINT: of least distance; REGION: the first that overlaps */
  double distance;   /* RAYCAST: along the ray; NEAREST, POINT: signed, negative in a solid; m */
  ct_vec3 position;  /* on the body's surface, world */
  ct_vec3 normal;    /* unit, out of the body: point = position + distance * normal */
  bool entering;     /* RAYCAST */
  bool inside;       /* REGION: the region holds the whole body */
  uint32_t triangle; /* of a mesh; else CT_NO_TRIANGLE */
  ct_pair_status status;
  uint32_t flags; /* NEAREST, POINT: as in ct_pair_result */
} ct_probe_hit;

typedef struct ct_probe ct_probe;

/* Borrows everything in options and the scene until ct_probe_destroy. The first question to a revision makes its tree.
 * CT_LIMIT: a ray without a direction, a region without a size, hull, mesh or elements, an override
 * of a row that is not there. CT_CANCELLED. */
ct_status ct_probe_prepare(const ct_scene *scene, const ct_probe_options *options, ct_probe **out);
void ct_probe_destroy(ct_probe *probe);
size_t ct_probe_items(const ct_probe *probe);
/* Rough cost of the whole, ns on one core: to choose where to run it and how to cut it. */
double ct_probe_cost(const ct_probe *probe);

/* Called for each hit in order; false stops the range (CT_OK is returned). */
typedef bool (*ct_probe_sink)(void *context, const ct_probe_hit *hit);

/* Items [begin, end), leaving out the hits of item `begin` of rank <= after (CT_NO_ROW: none). CT_CANCELLED. Cost of an item: a
 * descent of the revision's tree, and the narrow phase for the few bodies whose boxes may matter. */
ct_status ct_probe_run(const ct_probe *probe, const ct_query_range *range, ct_workspace *workspace, ct_probe_sink sink,
                       void *context);

CT_DECLARATIONS_END

#endif
