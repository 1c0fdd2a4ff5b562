/* One operation of the HTTP interface: a method and a path with the properties that calls need. The
 * table of all routes is in routes/routes.c, above the handlers. */
#ifndef API_CALLS_ROUTE_H
#define API_CALLS_ROUTE_H

#include <api/api.h>

typedef enum api_intake {
  API_INTAKE_NONE,     /* no body is read */
  API_INTAKE_JSON,     /* one JSON value */
  API_INTAKE_OPTIONAL, /* as API_INTAKE_JSON, but the body may be missing, which means {} */
  API_INTAKE_BULK,     /* a JSON array, or NDJSON by its content type */
  API_INTAKE_SHAPE     /* JSON, STL or OBJ by its content type */
} api_intake;

struct api_kind_operations;

struct api_route {
  const char *method;
  const char *path;       /* template and metrics label: {s} scene, {b} body, {c} contact state,
                           * {id} shape, {name} problem */
  const char *parameters; /* allowed URL parameters, each between spaces: " a b "; "": none */
  api_target target;
  api_intake body;
  const struct api_kind_operations
      *kind; /* kind of query that the route answers; NULL: the route is no single query */
  api_step (*begin)(api_call *call); /* the handler */
};

#endif
