/* The kinds of queries. Each kind has one constant row of operations: which members it accepts, and
 * how a query of this kind is read, planned, run and written. The rows are defined in kinds/, next
 * to their functions; all other code uses a kind only through its row. */
#ifndef API_QUERIES_QUERY_KIND_H
#define API_QUERIES_QUERY_KIND_H

#include <contact/query.h>

#include "common/buffer.h"
#include "queries/member_set.h"

/* X(NAME, row, "word", routes). The row of operations is api_kind_<row>. routes: BOTH, under a
 * scene and at /v1/query/word, or SCENE only. Cursors contain the position in this list: append new
 * kinds. */
#define API_KIND_MAP(X)                                                                            \
  X(PAIRS, pairs, "pairs", BOTH)                                                                   \
  X(OVERLAP, overlap, "overlap", BOTH)                                                             \
  X(DISTANCE, distance, "distance", BOTH)                                                          \
  X(CONTACTS, contacts, "contacts", BOTH)                                                          \
  X(VOLUME, volume, "volume", BOTH)                                                                \
  X(FEATURES, features, "features", BOTH)                                                          \
  X(SWEEP, sweep, "sweep", BOTH)                                                                   \
  X(TIMELINE, timeline, "timeline", BOTH)                                                          \
  X(RAYCAST, raycast, "raycast", BOTH)                                                             \
  X(NEAREST, nearest, "nearest", BOTH)                                                             \
  X(POINT, point, "point", BOTH)                                                                   \
  X(REGION, region, "region", BOTH)                                                                \
  X(MASS_PROPERTIES, mass_properties, "massProperties", BOTH)                                      \
  X(ZERO_CROSSINGS, zero_crossings, "zeroCrossings", SCENE)                                        \
  X(IMPULSE, impulse, "impulse", BOTH)                                                             \
  X(RESTING_FORCES, resting_forces, "restingForces", BOTH)                                         \
  X(COMPLIANT_FORCES, compliant_forces, "compliantForces", BOTH)

typedef enum api_kind {
#define API_KIND_ENUM(name, row, word, routes) API_KIND_##name,
  API_KIND_MAP(API_KIND_ENUM)
#undef API_KIND_ENUM
      API_KIND_COUNT
} api_kind;

struct api_page;
struct api_pair_answer;
struct api_pair_hit;
struct api_plan;
struct api_query;
struct api_query_context;
struct api_range_run;
struct api_task;

/* A word that a kind's member `include` accepts. A list of words ends with word NULL. */
typedef struct api_include_word {
  const char *word;
  size_t flag; /* offset of a bool in api_query that the word sets */
} api_include_word;

/* Operations of the kinds whose results belong to pairs of bodies. */
typedef struct api_pair_operations {
  ct_query_kind engine;
  bool measures;   /* each result has a distance: the summary `closest` is available, and the member
                      `method` chooses how results are computed, not which pairs are results */
  bool in_parts;   /* a pair may have several results, and a page may end between them */
  bool uses_poses; /* results depend on the poses of the body frames */
  bool reuses_pair_lists; /* the list of pairs with overlapping AABBs is updated from variant to
                             variant, not computed for each one */
  /* Reads the members of the kind that do not depend on the selection. NULL: there are none. */
  bool (*read_options)(api_reader *reader, const api_member_set *set, struct api_query *out);
  /* Reads the members of the kind that depend on the selection. NULL: there are none. */
  bool (*read_details)(api_reader *reader, const api_member_set *set, struct api_query *out);
  /* Adds the kind's warnings once the selection and the poses are known. NULL: there are none. */
  void (*warn)(api_reader *reader, struct api_query *out);
  /* Checks that a body of an explicit pair is valid for the kind; else adds a fault at the pointer.
   * NULL: every body is valid. */
  bool (*check_body)(api_reader *reader, const api_pointer *at, const ct_body *body);
  /* Prepares the engine's query of a scene. frames: box lists carried from variant to variant;
   * NULL: none. Returns the statuses of ct_query_prepare_pairs. */
  ct_status (*prepare)(const struct api_query *q, const ct_scene *scene,
                       const ct_query_options *options, ct_query_frames *frames, ct_query **out);
  /* Runs items of the prepared query and puts their results. */
  ct_status (*run_items)(struct api_range_run *run, const ct_query *query,
                         const ct_query_range *items);
  /* Adds what the requested method reports about a result. NULL: the kind has no methods. */
  void (*add_method)(struct api_range_run *run, const struct api_pair_hit *hit, ct_pair_result *own,
                     struct api_pair_answer *answer);
  /* Evaluates two given bodies with one collider each, without a scene. NULL: they are evaluated in
   * a scene made of them. */
  void (*evaluate)(struct api_range_run *run, const ct_placed pair[2], ct_pair_result *result,
                   struct api_pair_answer *answer);
  /* Puts a result as an object. NULL: run_items does that. */
  void (*put_answer)(api_buffer *out, const struct api_pair_answer *answer);
} api_pair_operations;

struct api_force_operations;

typedef struct api_kind_operations {
  api_kind number;
  /* Accepted members: of queries of any scene; only of queries of a scene of the daemon; of given
   * bodies; of raw boxes (0: the kind does not support them); and members of force queries. */
  uint64_t scene_members, stored_members, given_members, boxes_members;
  uint32_t force_members;
  const api_include_word
      *include;           /* words of the member `include`; NULL: the kind does not have it */
  bool uses_filters;      /* filters have an effect on results */
  bool uses_velocities;   /* velocities of hypothetical poses have an effect on results */
  bool one_body;          /* of two given bodies, b is optional */
  const char *scene_only; /* message why a scene of the daemon is required; NULL: it is not */
  const api_pair_operations
      *pair; /* NULL: results do not belong to pairs of bodies at one instant */
  const struct api_force_operations *force; /* NULL: results are not forces */
  /* Reads the method and its members, before the target is read. NULL: the kind has none. */
  bool (*read_method)(api_reader *reader, const api_member_set *set, struct api_query *out);
  /* Reads the other members of a query whose scene is known. */
  bool (*read)(api_reader *reader, const api_member_set *set,
               const struct api_query_context *context, struct api_query *out);
  /* Makes a query of the given bodies, which were read before. */
  bool (*read_given)(api_reader *reader, const api_member_set *set,
                     const struct api_query_context *context, struct api_query *out);
  /* Sets the number of items and the cost of the task and, if `shared`, prepares the data that its
   * ranges share. */
  ct_status (*plan)(const struct api_plan *plan, struct api_task *task, bool shared);
  /* Runs the items [begin, end) and puts their results. */
  void (*run)(struct api_range_run *run, size_t begin, size_t end);
  /* Evaluates the poses of one variant and puts one result. NULL: each variant is a query of
   * pairs. */
  void (*run_poses)(struct api_range_run *run, const ct_override *overrides, size_t count);
  /* Put the tolerances in effect and the statistics before the results, and lists after the
   * results. NULL: there are none. */
  void (*put_members)(api_buffer *out, const struct api_task *task, const struct api_page *page);
  void (*put_lists)(api_buffer *out, const struct api_task *task);
} api_kind_operations;

#define API_KIND_ROW(name, row, word, routes) extern const api_kind_operations api_kind_##row;
API_KIND_MAP(API_KIND_ROW)
#undef API_KIND_ROW

extern const char *const api_kind_words[API_KIND_COUNT];

/* Returns the kind's name in requests, a static text. */
static inline const char *api_kind_word(const api_kind_operations *kind) {
  assert(kind->number < API_KIND_COUNT);
  return api_kind_words[kind->number];
}

#endif
