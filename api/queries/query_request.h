/* Queries as read from JSON, validated against their scene. execution/ runs them. */
#ifndef API_QUERIES_QUERY_REQUEST_H
#define API_QUERIES_QUERY_REQUEST_H

#include <contact/contact_state.h>
#include <contact/probe.h>

#include "calls/call.h"
#include "common/cursor.h"
#include "documents/body_json.h"
#include "documents/packed_poses_json.h"
#include "queries/evaluation.h"
#include "queries/force_request.h"
#include "queries/hypothetical_scene.h"
#include "queries/motion_request.h"
#include "queries/query_kind.h"
#include "queries/query_warning.h"
#include "results/method_json.h"
#include "results/volume_json.h"

typedef enum api_mode {
  API_MODE_SCENE,    /* pair query of a scene */
  API_MODE_VARIANTS, /* pair query for each variant's poses */
  API_MODE_BODIES,   /* one result per row, or per given body */
  API_MODE_PAIR,     /* two bodies in the request */
  API_MODE_BOXES,    /* raw boxes */
  API_MODE_PROBE,    /* rays, points or a region in a scene */
  API_MODE_MOTION,   /* moving bodies of a scene */
  API_MODE_STATE,    /* one evaluation of a contact state */
  API_MODE_FORCE     /* contact forces in islands of a scene */
} api_mode;

/* Summary of a variant that replaces its results. */
typedef enum api_summary {
  API_SUMMARY_NONE,
  API_SUMMARY_ANY,
  API_SUMMARY_COUNT,
  API_SUMMARY_CLOSEST
} api_summary;

typedef struct api_variant {
  const ct_override *items; /* sorted by row */
  size_t count;
  api_velocities velocities; /* if the kind uses them */
  api_variant_scene *own;    /* added bodies and own filters; NULL: the query's scene */
} api_variant;

/* ZERO_CROSSINGS: values to evaluate. */
typedef struct api_crossings {
  const ct_contact_state *state; /* borrowed from the scene */
  ct_contact_evaluation evaluation;
  bool contacts; /* list the contacts in results */
} api_crossings;

typedef struct api_query {
  const api_kind_operations *kind;
  api_mode mode;
  const ct_scene *scene;     /* NULL for given bodies and boxes */
  const ct_scene *revision;  /* of the daemon's scene, reported and pinned, also if `scene` is
                              * hypothetical; or NULL */
  bool owns_scene;           /* an inline or hypothetical scene */
  bool reports_revision;     /* the scene is the daemon's */
  bool writes;               /* FORCE: the reported velocities are written to the scene */
  ct_query_options options;  /* SCENE, VARIANTS: all except overrides of a variant; BOXES:
                              * broadphase */
  api_evaluation evaluation; /* SCENE, VARIANTS, PAIR */
  bool gradient;             /* DISTANCE: report the gradient of the distance */
  bool put_velocity;         /* CONTACTS: report relative velocities of the points, classified by
                              * force.velocity_tolerance */
  api_method method;         /* DISTANCE */
  api_volume volume;         /* VOLUME */
  api_crossings crossings;   /* ZERO_CROSSINGS */
  api_variant *variants;
  size_t variant_count, own_scenes; /* number of variants with a scene of their own */
  api_summary summary;              /* VARIANTS */
  ct_probe_options probe;           /* PROBE */
  ct_collider region; /* owns the shape that the probe's region borrows, if has_region */
  bool has_region;
  api_motions motions;          /* MOTION */
  api_velocities velocities[2]; /* MOTION, FORCE, CONTACTS with velocities: of the query's poses,
                                 * then of the batch's; the first entry of a row wins */
  api_force force;              /* FORCE */
  const uint32_t *rows;         /* BODIES of a scene */
  size_t row_count;
  api_body bodies[2]; /* PAIR, BODIES without a scene */
  size_t body_count;
  const ct_aabb *boxes; /* BOXES: [1 + frame_count][box_count]: `boxes`, then the frames */
  size_t box_count, frame_count;
  bool has_frames, changes; /* `changes`: list pairs that begin and end */
  uint64_t limit;           /* results per page */
  bool without_total;       /* do not count the results of all pages */
  bool resumed;
  api_cursor from;      /* start of the page, if resumed */
  const json_t *object; /* the request, to which cursors are bound with hash_seed */
  uint64_t hash_seed;
  bool put_hulls; /* MASS_PROPERTIES */
  api_query_warnings warnings;
} api_query;

/* Context of a query: call, scene and batch. */
typedef struct api_query_context {
  const api_call *call; /* revisions for cursors */
  const api_kind_operations *kind;
  const ct_scene *scene;          /* NULL: stateless */
  const api_hypotheses *supposed; /* of a batch, in the first entries; NULL: none */
  const ct_scene *supposed_scene; /* hypothetical scene of the batch; NULL: none */
  uint64_t *supposed_rows;        /* of a batch: rows of all hypothetical scenes of its
                                   * queries */
  const api_poses *base;          /* a batch's poses, or NULL */
  const api_pointer *base_at;
  bool writes;   /* the result is written to the scene: one page, no hypotheses */
  bool in_batch; /* id and kind are members, deadlineMs is not */
  uint64_t hash_seed;
  uint64_t *deadline_ms; /* set if the query has deadlineMs; may be NULL */
} api_query_context;

/* Reads and validates a query. *out must be zeroed; release it in any case. Its pointers refer to
 * the reader's arena or are borrowed. */
bool api_read_query(api_reader *reader, const api_field *field, const api_query_context *context,
                    api_query *out);
/* For the rows of kinds. Refuses `where` beside `pairs`. */
bool api_check_selection(api_reader *reader, const api_member_set *set);
/* Reads the selection of a query of a scene: where, pairs, variants and
 * hypothetical poses. */
bool api_read_selected_pairs(api_reader *reader, const api_member_set *set,
                             const api_query_context *context, api_query *out);
/* Makes a query of the two given bodies: without a scene if the kind can, else of a scene with one
 * explicit pair. */
bool api_read_given_pair(api_reader *reader, const api_member_set *set,
                         const api_query_context *context, api_query *out);
/* Makes a query of a scene of the given bodies. */
bool api_read_given_scene(api_reader *reader, const api_member_set *set,
                          const api_query_context *context, api_query *out);

void api_query_release(api_query *query);
/* Hash of the request, to which the query's cursors are bound. False: out of memory. */
bool api_query_hash(const api_query *query, uint64_t *hash);

#endif
