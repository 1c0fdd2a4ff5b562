/* Reads queries from JSON and validates them against their scene. The folder execution/ runs
 * them. */
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
  API_MODE_SCENE,    /* query of pairs in a scene */
  API_MODE_VARIANTS, /* the same query for each variant's poses */
  API_MODE_BODIES,   /* one result per body of a scene, or per given body */
  API_MODE_PAIR,     /* two bodies given in the request */
  API_MODE_BOXES,    /* raw boxes */
  API_MODE_PROBE,    /* rays, points or a region against a scene */
  API_MODE_MOTION,   /* moving bodies of a scene */
  API_MODE_STATE,    /* one evaluation of a contact state */
  API_MODE_FORCE     /* contact forces in islands of a scene */
} api_mode;

/* What a variant reports instead of the list of its results: whether there is a result, their
 * number, or the closest pair. */
typedef enum api_summary {
  API_SUMMARY_NONE,
  API_SUMMARY_ANY,
  API_SUMMARY_COUNT,
  API_SUMMARY_CLOSEST
} api_summary;

typedef struct api_variant {
  const ct_override *items; /* sorted by row */
  size_t count;
  api_velocities velocities; /* velocities given with the variant's poses; empty if the query kind
                                does not use velocities */
  api_variant_scene *own; /* scene with the variant's bodies or filters; NULL: the query's scene */
} api_variant;

/* ZERO_CROSSINGS: what is evaluated and reported. */
typedef struct api_crossings {
  const ct_contact_state *state; /* borrowed from the scene */
  ct_contact_evaluation evaluation;
  bool contacts; /* include the contacts in results */
} api_crossings;

typedef struct api_query {
  const api_kind_operations *kind;
  api_mode mode;
  const ct_scene *scene;     /* the scene that is queried; NULL for given bodies and boxes */
  const ct_scene *revision;  /* revision of a stored scene that the reply names and cursors pin,
                                even if `scene` is a hypothetical scene made from it; NULL: the
                                query has no stored scene */
  bool owns_scene;           /* `scene` belongs to the query: it is given in the request, or
                                hypothetical */
  bool reports_revision;     /* the reply contains the revision number of the stored scene */
  bool writes;               /* FORCE: the resulting velocities are written to the scene */
  ct_query_options options;  /* SCENE, VARIANTS: all options except the overrides of a variant;
                                BOXES: only the broadphase */
  api_evaluation evaluation; /* SCENE, VARIANTS, PAIR */
  bool gradient;             /* DISTANCE: report the gradient of the distance */
  bool put_velocity;         /* CONTACTS: report relative velocities at the points, classified by
                                force.velocity_tolerance */
  api_method method;         /* DISTANCE */
  api_volume volume;         /* VOLUME */
  api_crossings crossings;   /* ZERO_CROSSINGS */
  api_variant *variants;
  size_t variant_count, own_scenes; /* number of variants, and of those with a scene of their own */
  api_summary summary;              /* VARIANTS */
  ct_probe_options probe;           /* PROBE */
  ct_collider region;               /* if has_region: owns the shape that probe.region borrows */
  bool has_region;
  api_motions motions;          /* MOTION */
  api_velocities velocities[2]; /* MOTION, FORCE, CONTACTS with velocities: [0] velocities given
                                   with the query's poses, [1] with the batch's poses; [0] takes
                                   precedence where both have a row */
  api_force force;              /* FORCE */
  const uint32_t *rows;         /* BODIES of a scene: [row_count] rows of the bodies */
  size_t row_count;
  api_body bodies[2]; /* PAIR, and BODIES without a scene: the bodies of the request */
  size_t body_count;
  const ct_aabb *boxes; /* BOXES: [1 + frame_count][box_count] first the request's member `boxes`,
                           then its member `frames` */
  size_t box_count, frame_count;
  bool has_frames, changes; /* has_frames: the request has the member `frames`; changes: list the
                               pairs that begin and end from frame to frame */
  uint64_t limit;           /* greatest number of results on a page */
  bool without_total;       /* do not count the results of all pages */
  bool resumed;
  api_cursor from;      /* if resumed: start of the page */
  const json_t *object; /* the request. Its cursors contain a hash of it, computed from hash_seed,
                           so that they are refused with any other request */
  uint64_t hash_seed;
  bool put_hulls; /* MASS_PROPERTIES: report hulls */
  api_query_warnings warnings;
} api_query;

/* Context in which a query is read: call, scene and batch. */
typedef struct api_query_context {
  const api_call *call; /* provides the revisions to which cursors refer */
  const api_kind_operations *kind;
  const ct_scene *scene; /* current revision of the stored scene; NULL: the query has none */
  const api_hypotheses *supposed; /* the batch's members `add` and `filters`, in entry 0; NULL: the
                                     query is not in a batch, or the batch has neither */
  const ct_scene *supposed_scene; /* hypothetical scene made from `supposed`; NULL: none */
  uint64_t *supposed_rows; /* in a batch: running total of the rows (bodies) of the hypothetical
                              scenes of its queries */
  const api_poses *base;   /* the batch's member `poses`; NULL: none */
  const api_pointer *base_at;
  bool writes;   /* the result is written to the scene, so the query has a single page and no
                    hypothetical members */
  bool in_batch; /* the query may have the members id and kind, but not deadlineMs */
  uint64_t hash_seed;
  uint64_t *deadline_ms; /* receives the query's member deadlineMs, if it has one; may be NULL */
} api_query_context;

/* Members of a page, on which cursors do not depend: cursor, limit, deadlineMs. */
#define API_PAGE_MEMBERS 3
extern const char *const api_page_members[API_PAGE_MEMBERS];
/* True if the object has a cursor and no other members than those of a page. */
bool api_is_cursor_alone(const json_t *object);

/* Reads and validates a query. *out must be zeroed before, and released even after a failure. Its
 * pointers refer to the reader's arena or are borrowed. */
bool api_read_query(api_reader *reader, const api_field *field, const api_query_context *context,
                    api_query *out);
/* Used by the rows of kinds: refuses `where` beside `pairs`. */
bool api_check_selection(api_reader *reader, const api_member_set *set);
/* Reads the members that select from a scene: where, pairs, variants and hypothetical poses. */
bool api_read_selected_pairs(api_reader *reader, const api_member_set *set,
                             const api_query_context *context, api_query *out);
/* Makes a query of the two given bodies: without a scene if the kind supports that, else as a scene
 * with one explicit pair. */
bool api_read_given_pair(api_reader *reader, const api_member_set *set,
                         const api_query_context *context, api_query *out);
/* Makes a query of a scene that consists of the given bodies. */
bool api_read_given_scene(api_reader *reader, const api_member_set *set,
                          const api_query_context *context, api_query *out);

void api_query_release(api_query *query);
/* Computes the hash of the request to which the query's cursors are bound. False: out of memory. */
bool api_query_hash(const api_query *query, uint64_t *hash);

#endif
