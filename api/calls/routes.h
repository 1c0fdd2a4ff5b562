/* The route table: maps method and path to a handler. One row per operation states all differences
 * before the handler runs (target, body, URL parameters). */
#ifndef API_CALLS_ROUTES_H
#define API_CALLS_ROUTES_H

#include <api/api.h>

typedef enum api_intake {
  API_INTAKE_NONE, /* no body is read */
  API_INTAKE_JSON, /* one JSON value */
  API_INTAKE_BULK, /* a JSON array, or NDJSON by its content type */
  API_INTAKE_SHAPE /* JSON, STL or OBJ by its content type */
} api_intake;

/* Query kinds in requests; API_KIND_NONE for routes that are not a single query. */
#define API_KIND_MAP(X)                                                                            \
  X(PAIRS, "pairs")                                                                                \
  X(OVERLAP, "overlap")                                                                            \
  X(DISTANCE, "distance")                                                                          \
  X(CONTACTS, "contacts")                                                                          \
  X(VOLUME, "volume")                                                                              \
  X(FEATURES, "features")                                                                          \
  X(SWEEP, "sweep")                                                                                \
  X(TIMELINE, "timeline")                                                                          \
  X(RAYCAST, "raycast")                                                                            \
  X(NEAREST, "nearest")                                                                            \
  X(POINT, "point")                                                                                \
  X(REGION, "region")                                                                              \
  X(MASS_PROPERTIES, "massProperties")                                                             \
  X(ZERO_CROSSINGS, "zeroCrossings")                                                               \
  X(IMPULSE, "impulse")                                                                            \
  X(RESTING_FORCES, "restingForces")                                                               \
  X(COMPLIANT_FORCES, "compliantForces")

typedef enum api_kind {
#define API_KIND_ENUM(name, word) API_KIND_##name,
  API_KIND_MAP(API_KIND_ENUM)
#undef API_KIND_ENUM
      API_KIND_COUNT,
  API_KIND_NONE = API_KIND_COUNT
} api_kind;

/* The kind's name in requests; static storage. */
const char *api_kind_word(api_kind kind);
/* API_KIND_NONE if no kind has the name. */
api_kind api_kind_of(const char *word, size_t length);

struct api_route {
  const char *method;
  const char *path;       /* template and metrics label: {s} scene, {b} body, {c} contact state,
                           * {id} shape, {name} problem */
  const char *parameters; /* allowed URL parameters, each between spaces: " a b "; "": none */
  api_target target;
  api_intake body;
  api_kind kind;
  api_step (*begin)(api_call *call);
};

extern const api_route api_routes[];
extern const size_t api_route_count;

#endif
