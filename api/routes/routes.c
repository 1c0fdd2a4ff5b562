/* The route table. The queries' routes follow from the list of their kinds. */
#include "routes/routes.h"

#include "calls/events.h"
#include "handlers/advance.h"
#include "handlers/contact_state.h"
#include "handlers/query_call.h"
#include "handlers/scenes.h"
#include "handlers/service_info.h"
#include "handlers/shapes.h"
#include "handlers/solve.h"
#include "queries/query_kind.h"

#define SCENE "/v1/scenes/{s}"

/* The routes of a kind of query. */
#define SCENE_QUERY(name, row, word, routes)                                                       \
  {"POST",          SCENE "/query/" word, "", API_TARGET_READ, API_INTAKE_OPTIONAL,                \
   &api_kind_##row, api_query_one},
#define STATELESS_QUERY(name, row, word, routes) STATELESS_QUERY_##routes(row, word)
#define STATELESS_QUERY_SCENE(row, word)
#define STATELESS_QUERY_BOTH(row, word)                                                            \
  {"POST", "/v1/query/" word, "", API_TARGET_NONE, API_INTAKE_JSON, &api_kind_##row, api_query_one},

const api_route api_routes[] = {
    {"GET", "/v1/scenes", " cursor limit ", API_TARGET_LIST, API_INTAKE_NONE, NULL,
     api_scenes_list},
    {"POST", "/v1/scenes", "", API_TARGET_CREATE, API_INTAKE_OPTIONAL, NULL, api_scenes_create},
    {"GET", SCENE, "", API_TARGET_READ, API_INTAKE_NONE, NULL, api_scene_get},
    {"HEAD", SCENE, "", API_TARGET_READ, API_INTAKE_NONE, NULL, api_scene_get},
    {"PUT", SCENE, "", API_TARGET_PUT, API_INTAKE_JSON, NULL, api_scene_put},
    {"PATCH", SCENE, "", API_TARGET_WRITE, API_INTAKE_JSON, NULL, api_scene_patch},
    {"DELETE", SCENE, "", API_TARGET_DELETE, API_INTAKE_NONE, NULL, api_scene_delete},
    {"GET", SCENE "/events", " contactState ", API_TARGET_EVENTS, API_INTAKE_NONE, NULL,
     api_events_get},
    {"GET", SCENE "/bodies", " cursor limit ", API_TARGET_READ, API_INTAKE_NONE, NULL,
     api_bodies_list},
    {"POST", SCENE "/bodies", "", API_TARGET_WRITE, API_INTAKE_BULK, NULL, api_bodies_post},
    {"PATCH", SCENE "/bodies", "", API_TARGET_WRITE, API_INTAKE_BULK, NULL, api_bodies_patch},
    {"DELETE", SCENE "/bodies", " id prefix ", API_TARGET_WRITE, API_INTAKE_NONE, NULL,
     api_bodies_delete},
    {"GET", SCENE "/bodies/{b}", "", API_TARGET_READ, API_INTAKE_NONE, NULL, api_body_get},
    {"PUT", SCENE "/bodies/{b}", "", API_TARGET_WRITE, API_INTAKE_JSON, NULL, api_body_put},
    {"PATCH", SCENE "/bodies/{b}", "", API_TARGET_WRITE, API_INTAKE_JSON, NULL, api_body_patch},
    {"DELETE", SCENE "/bodies/{b}", "", API_TARGET_WRITE, API_INTAKE_NONE, NULL, api_body_delete},
    {"GET", SCENE "/poses", "", API_TARGET_READ, API_INTAKE_NONE, NULL, api_poses_get},
    {"PUT", SCENE "/poses", "", API_TARGET_WRITE, API_INTAKE_JSON, NULL, api_poses_put},
    {"PATCH", SCENE "/poses", "", API_TARGET_WRITE, API_INTAKE_JSON, NULL, api_poses_patch},
    {"PATCH", SCENE "/vertices", "", API_TARGET_WRITE, API_INTAKE_JSON, NULL, api_vertices_patch},
    {"GET", SCENE "/filters", "", API_TARGET_READ, API_INTAKE_NONE, NULL, api_filters_get},
    {"PUT", SCENE "/filters", "", API_TARGET_WRITE, API_INTAKE_JSON, NULL, api_filters_put},
    {"GET", SCENE "/filters/effective", " a b ", API_TARGET_READ, API_INTAKE_NONE, NULL,
     api_filters_effective},
    {"GET", SCENE "/contactStates", "", API_TARGET_READ, API_INTAKE_NONE, NULL,
     api_contact_states_list},
    {"GET", SCENE "/contactStates/{c}", "", API_TARGET_READ, API_INTAKE_NONE, NULL,
     api_contact_state_get},
    {"POST", SCENE "/contactStates/{c}", "", API_TARGET_WRITE, API_INTAKE_OPTIONAL, NULL,
     api_contact_event_post},
    {"DELETE", SCENE "/contactStates/{c}", "", API_TARGET_WRITE, API_INTAKE_NONE, NULL,
     api_contact_state_delete},
    {"POST", SCENE "/impulses", "", API_TARGET_WRITE, API_INTAKE_OPTIONAL, NULL, api_impulses_post},
    {"POST", SCENE "/advance", "", API_TARGET_SNAPSHOT, API_INTAKE_JSON, NULL, api_advance_post},
    API_KIND_MAP(SCENE_QUERY){"POST", SCENE "/query", "", API_TARGET_READ, API_INTAKE_JSON, NULL,
                              api_query_batch},
    API_KIND_MAP(STATELESS_QUERY){"POST", "/v1/query", "", API_TARGET_NONE, API_INTAKE_JSON, NULL,
                                  api_query_batch},
    {"POST", "/v1/solve/lcp", "", API_TARGET_NONE, API_INTAKE_JSON, NULL, api_solve_lcp},
    {"POST", "/v1/solve/friction", "", API_TARGET_NONE, API_INTAKE_JSON, NULL, api_solve_friction},
    {"GET", "/v1/shapes", " cursor limit ", API_TARGET_SHAPE_LIST, API_INTAKE_NONE, NULL,
     api_shapes_list},
    {"POST", "/v1/shapes",
     " unit solid convexHull weld capHoles planarity keepDuplicates deadlineMs ",
     API_TARGET_SHAPE_WRITE, API_INTAKE_SHAPE, NULL, api_shapes_post},
    {"GET", "/v1/shapes/{id}", " include ", API_TARGET_SHAPE_READ, API_INTAKE_NONE, NULL,
     api_shape_read},
    {"HEAD", "/v1/shapes/{id}", " include ", API_TARGET_SHAPE_READ, API_INTAKE_NONE, NULL,
     api_shape_read},
    {"DELETE", "/v1/shapes/{id}", "", API_TARGET_SHAPE_WRITE, API_INTAKE_NONE, NULL,
     api_shape_delete},
    {"GET", "/v1/limits", "", API_TARGET_NONE, API_INTAKE_NONE, NULL, api_meta_limits},
    {"GET", "/v1/version", "", API_TARGET_NONE, API_INTAKE_NONE, NULL, api_meta_version},
    {"GET", "/openapi.json", "", API_TARGET_NONE, API_INTAKE_NONE, NULL, api_meta_openapi},
    {"GET", "/problems/{name}", "", API_TARGET_NONE, API_INTAKE_NONE, NULL, api_meta_problem},
};
const size_t api_route_count = sizeof api_routes / sizeof api_routes[0];
