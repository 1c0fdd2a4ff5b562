/* Questions: a query's JSON decoded against the scene that it is asked of. Running is in query_run.c. */
#ifndef API_QUERIES_QUERY_REQUEST_H
#define API_QUERIES_QUERY_REQUEST_H

#include "calls/call.h"
#include "common/cursor.h"
#include "documents/body_json.h"
#include "documents/packed_poses_json.h"
#include "queries/force_request.h"
#include "queries/hypothetical_scene.h"
#include "queries/motion_request.h"
#include "queries/probe_request.h"
#include "queries/zero_crossings_json.h"
#include "results/method_json.h"
#include "results/volume_json.h"

typedef enum api_mode {
  API_MODE_SCENE,    /* a kind over pairs, of a scene */
  API_MODE_VARIANTS, /* the same for every variant's poses */
  API_MODE_MASS,     /* mass properties of rows, or of the bodies given */
  API_MODE_PAIR,     /* two bodies given in the request */
  API_MODE_BOXES,    /* raw boxes */
  API_MODE_PROBE,    /* rays, points or a region in a scene */
  API_MODE_MOTION,   /* bodies of a scene that move */
  API_MODE_STATE,    /* a contact state of a scene, evaluated once */
  API_MODE_FORCE     /* islands of a scene */
} api_mode;

/* What is said of a variant in place of its results. */
typedef enum api_summary { API_SUMMARY_NONE, API_SUMMARY_ANY, API_SUMMARY_COUNT, API_SUMMARY_CLOSEST } api_summary;

typedef struct api_variant {
  const ct_override *items; /* sorted by row */
  size_t count;
  api_velocities velocities; /* where they mean something */
  api_variant_scene *own;    /* bodies that are added and other filters; NULL: the query's scene */
} api_variant;

/* Warnings that are listed in a reply. */
#define API_WARNINGS_MAX 20

typedef struct api_query {
  api_kind kind;
  api_mode mode;
  const ct_scene *scene;    /* NULL for bodies and boxes given */
  const ct_scene *revision; /* of the daemon's scene: reported and pinned, also where the query supposes another scene; or NULL */
  bool owns_scene;          /* an inline scene, or a supposed one */
  bool reports_revision;    /* a scene of the daemon's */
  bool writes;              /* FORCE: the velocities told become the scene's */
  ct_query_options options; /* SCENE, VARIANTS: all but overrides of a variant; PAIR: tolerance; BOXES: broadphase */
  bool gradient;            /* DISTANCE: of the distance, in the answers */
  bool put_velocity;        /* CONTACTS: of the points, likewise; force.velocity_tolerance is in force */
  api_method method;        /* DISTANCE */
  api_volume volume;        /* VOLUME */
  api_crossings crossings;  /* ZERO_CROSSINGS */
  api_variant *variants;
  size_t variant_count, own_scenes; /* variants with a scene of their own */
  api_summary summary; /* VARIANTS */
  ct_probe_options probe; /* PROBE */
  ct_collider region;     /* what its region borrows, when it has one */
  bool has_region;
  api_motions motions; /* MOTION */
  api_velocities
      velocities[2]; /* MOTION, FORCE, CONTACTS with velocities: of poses, own and the batch's; the first that has a row counts */
  api_force force;   /* FORCE */
  const uint32_t *rows; /* MASS of a scene */
  size_t row_count;
  api_body bodies[2]; /* PAIR, MASS of bodies given */
  size_t body_count;
  const ct_aabb *boxes; /* BOXES: [1 + frame_count][box_count], the frames after the boxes */
  size_t box_count, frame_count;
  bool has_frames, changes; /* pairs begun and ended are listed */
  uint64_t limit;           /* results in this page */
  bool without_total;       /* the results of the whole answer are not counted */
  bool resumed;
  api_cursor from;      /* where the page starts, when resumed */
  const json_t *object; /* what a cursor is bound to, with hash_seed */
  uint64_t hash_seed;
  bool put_hulls;                            /* MASS_PROPERTIES */
  const char *warnings[API_WARNINGS_MAX]; /* in the arena */
  size_t warning_count, warnings_omitted;
} api_query;

/* What surrounds a question. */
typedef struct api_query_context {
  const api_call *call; /* revisions for cursors */
  api_kind kind;
  const ct_scene *scene; /* NULL: stateless */
  const api_hypotheses *supposed;    /* of a batch, their first places filled; NULL: none */
  const ct_scene *supposed_scene;    /* `scene` with what the batch supposes; NULL: nothing */
  uint64_t *supposed_rows;           /* of a batch: of the scenes that its queries suppose */
  const api_poses *base; /* a batch's poses, or NULL */
  const api_pointer *base_at;
  bool writes;   /* the answer is written: all of it, of the scene as it is */
  bool in_batch; /* id and kind are members too, deadlineMs is not */
  uint64_t hash_seed;
  uint64_t *deadline_ms; /* set if the question says so; may be NULL */
} api_query_context;

/* *out must be zeroed; release it in any case. What it points to is in the reader's arena or borrowed. */
bool api_read_query(api_reader *reader, const api_field *field, const api_query_context *asking, api_query *out);
void api_query_release(api_query *question);
/* What a cursor of the question is bound to. False: out of memory. */
bool api_query_hash(const api_query *question, uint64_t *hash);

#endif
