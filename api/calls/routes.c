/* The route table. Handlers are in scenes.c, bodies.c, packed_columns.c, contact_state.c,
 * contact_event.c, events.c, advance.c, apply_impulses.c, shapes.c, query_call.c, query_batch.c,
 * solve_call.c and service_info.c; matching is in route_match.c. */
#include "calls/routes.h"

#include <string.h>

#include "calls/events.h"
#include "handlers/advance.h"
#include "handlers/apply_impulses.h"
#include "handlers/contact_state.h"
#include "handlers/query_call.h"
#include "handlers/scenes.h"
#include "handlers/service_info.h"
#include "handlers/shapes.h"
#include "handlers/solve.h"

#define SCENE "/v1/scenes/{s}"
#define NO_KIND API_KIND_NONE

const api_route api_routes[] = {
    {"GET", "/v1/scenes", " cursor limit ", API_TARGET_LIST, API_INTAKE_NONE, NO_KIND,
     api_scenes_list},
    {"POST", "/v1/scenes", "", API_TARGET_CREATE, API_INTAKE_JSON, NO_KIND, api_scenes_create},
    {"GET", SCENE, "", API_TARGET_READ, API_INTAKE_NONE, NO_KIND, api_scene_get},
    {"HEAD", SCENE, "", API_TARGET_READ, API_INTAKE_NONE, NO_KIND, api_scene_get},
    {"PUT", SCENE, "", API_TARGET_PUT, API_INTAKE_JSON, NO_KIND, api_scene_put},
    {"PATCH", SCENE, "", API_TARGET_WRITE, API_INTAKE_JSON, NO_KIND, api_scene_patch},
    {"DELETE", SCENE, "", API_TARGET_DELETE, API_INTAKE_NONE, NO_KIND, api_scene_delete},
    {"GET", SCENE "/events", " contactState ", API_TARGET_EVENTS, API_INTAKE_NONE, NO_KIND,
     api_events_get},
    {"GET", SCENE "/bodies", " cursor limit ", API_TARGET_READ, API_INTAKE_NONE, NO_KIND,
     api_bodies_list},
    {"POST", SCENE "/bodies", "", API_TARGET_WRITE, API_INTAKE_BULK, NO_KIND, api_bodies_post},
    {"PATCH", SCENE "/bodies", "", API_TARGET_WRITE, API_INTAKE_BULK, NO_KIND, api_bodies_patch},
    {"DELETE", SCENE "/bodies", " id prefix ", API_TARGET_WRITE, API_INTAKE_NONE, NO_KIND,
     api_bodies_delete},
    {"GET", SCENE "/bodies/{b}", "", API_TARGET_READ, API_INTAKE_NONE, NO_KIND, api_body_get},
    {"PUT", SCENE "/bodies/{b}", "", API_TARGET_WRITE, API_INTAKE_JSON, NO_KIND, api_body_put},
    {"PATCH", SCENE "/bodies/{b}", "", API_TARGET_WRITE, API_INTAKE_JSON, NO_KIND, api_body_patch},
    {"DELETE", SCENE "/bodies/{b}", "", API_TARGET_WRITE, API_INTAKE_NONE, NO_KIND,
     api_body_delete},
    {"GET", SCENE "/poses", "", API_TARGET_READ, API_INTAKE_NONE, NO_KIND, api_poses_get},
    {"PUT", SCENE "/poses", "", API_TARGET_WRITE, API_INTAKE_JSON, NO_KIND, api_poses_put},
    {"PATCH", SCENE "/poses", "", API_TARGET_WRITE, API_INTAKE_JSON, NO_KIND, api_poses_patch},
    {"PATCH", SCENE "/vertices", "", API_TARGET_WRITE, API_INTAKE_JSON, NO_KIND,
     api_vertices_patch},
    {"GET", SCENE "/filters", "", API_TARGET_READ, API_INTAKE_NONE, NO_KIND, api_filters_get},
    {"PUT", SCENE "/filters", "", API_TARGET_WRITE, API_INTAKE_JSON, NO_KIND, api_filters_put},
    {"GET", SCENE "/filters/effective", " a b ", API_TARGET_READ, API_INTAKE_NONE, NO_KIND,
     api_filters_effective},
    {"GET", SCENE "/contactStates", "", API_TARGET_READ, API_INTAKE_NONE, NO_KIND,
     api_contact_states_list},
    {"GET", SCENE "/contactStates/{c}", "", API_TARGET_READ, API_INTAKE_NONE, NO_KIND,
     api_contact_state_get},
    {"POST", SCENE "/contactStates/{c}", "", API_TARGET_WRITE, API_INTAKE_JSON, NO_KIND,
     api_contact_event_post},
    {"DELETE", SCENE "/contactStates/{c}", "", API_TARGET_WRITE, API_INTAKE_NONE, NO_KIND,
     api_contact_state_delete},
    {"POST", SCENE "/impulses", "", API_TARGET_WRITE, API_INTAKE_JSON, NO_KIND, api_impulses_post},
    {"POST", SCENE "/advance", "", API_TARGET_SNAPSHOT, API_INTAKE_JSON, NO_KIND, api_advance_post},
    {"POST", SCENE "/query/pairs", "", API_TARGET_READ, API_INTAKE_JSON, API_KIND_PAIRS,
     api_query_one},
    {"POST", SCENE "/query/overlap", "", API_TARGET_READ, API_INTAKE_JSON, API_KIND_OVERLAP,
     api_query_one},
    {"POST", SCENE "/query/distance", "", API_TARGET_READ, API_INTAKE_JSON, API_KIND_DISTANCE,
     api_query_one},
    {"POST", SCENE "/query/contacts", "", API_TARGET_READ, API_INTAKE_JSON, API_KIND_CONTACTS,
     api_query_one},
    {"POST", SCENE "/query/volume", "", API_TARGET_READ, API_INTAKE_JSON, API_KIND_VOLUME,
     api_query_one},
    {"POST", SCENE "/query/features", "", API_TARGET_READ, API_INTAKE_JSON, API_KIND_FEATURES,
     api_query_one},
    {"POST", SCENE "/query/sweep", "", API_TARGET_READ, API_INTAKE_JSON, API_KIND_SWEEP,
     api_query_one},
    {"POST", SCENE "/query/timeline", "", API_TARGET_READ, API_INTAKE_JSON, API_KIND_TIMELINE,
     api_query_one},
    {"POST", SCENE "/query/raycast", "", API_TARGET_READ, API_INTAKE_JSON, API_KIND_RAYCAST,
     api_query_one},
    {"POST", SCENE "/query/nearest", "", API_TARGET_READ, API_INTAKE_JSON, API_KIND_NEAREST,
     api_query_one},
    {"POST", SCENE "/query/point", "", API_TARGET_READ, API_INTAKE_JSON, API_KIND_POINT,
     api_query_one},
    {"POST", SCENE "/query/region", "", API_TARGET_READ, API_INTAKE_JSON, API_KIND_REGION,
     api_query_one},
    {"POST", SCENE "/query/massProperties", "", API_TARGET_READ, API_INTAKE_JSON,
     API_KIND_MASS_PROPERTIES, api_query_one},
    {"POST", SCENE "/query/zeroCrossings", "", API_TARGET_READ, API_INTAKE_JSON,
     API_KIND_ZERO_CROSSINGS, api_query_one},
    {"POST", SCENE "/query/impulse", "", API_TARGET_READ, API_INTAKE_JSON, API_KIND_IMPULSE,
     api_query_one},
    {"POST", SCENE "/query/restingForces", "", API_TARGET_READ, API_INTAKE_JSON,
     API_KIND_RESTING_FORCES, api_query_one},
    {"POST", SCENE "/query/compliantForces", "", API_TARGET_READ, API_INTAKE_JSON,
     API_KIND_COMPLIANT_FORCES, api_query_one},
    {"POST", SCENE "/query", "", API_TARGET_READ, API_INTAKE_JSON, NO_KIND, api_query_batch},
    {"POST", "/v1/query/pairs", "", API_TARGET_NONE, API_INTAKE_JSON, API_KIND_PAIRS,
     api_query_one},
    {"POST", "/v1/query/overlap", "", API_TARGET_NONE, API_INTAKE_JSON, API_KIND_OVERLAP,
     api_query_one},
    {"POST", "/v1/query/distance", "", API_TARGET_NONE, API_INTAKE_JSON, API_KIND_DISTANCE,
     api_query_one},
    {"POST", "/v1/query/contacts", "", API_TARGET_NONE, API_INTAKE_JSON, API_KIND_CONTACTS,
     api_query_one},
    {"POST", "/v1/query/volume", "", API_TARGET_NONE, API_INTAKE_JSON, API_KIND_VOLUME,
     api_query_one},
    {"POST", "/v1/query/features", "", API_TARGET_NONE, API_INTAKE_JSON, API_KIND_FEATURES,
     api_query_one},
    {"POST", "/v1/query/sweep", "", API_TARGET_NONE, API_INTAKE_JSON, API_KIND_SWEEP,
     api_query_one},
    {"POST", "/v1/query/timeline", "", API_TARGET_NONE, API_INTAKE_JSON, API_KIND_TIMELINE,
     api_query_one},
    {"POST", "/v1/query/raycast", "", API_TARGET_NONE, API_INTAKE_JSON, API_KIND_RAYCAST,
     api_query_one},
    {"POST", "/v1/query/nearest", "", API_TARGET_NONE, API_INTAKE_JSON, API_KIND_NEAREST,
     api_query_one},
    {"POST", "/v1/query/point", "", API_TARGET_NONE, API_INTAKE_JSON, API_KIND_POINT,
     api_query_one},
    {"POST", "/v1/query/region", "", API_TARGET_NONE, API_INTAKE_JSON, API_KIND_REGION,
     api_query_one},
    {"POST", "/v1/query/massProperties", "", API_TARGET_NONE, API_INTAKE_JSON,
     API_KIND_MASS_PROPERTIES, api_query_one},
    {"POST", "/v1/query/impulse", "", API_TARGET_NONE, API_INTAKE_JSON, API_KIND_IMPULSE,
     api_query_one},
    {"POST", "/v1/query/restingForces", "", API_TARGET_NONE, API_INTAKE_JSON,
     API_KIND_RESTING_FORCES, api_query_one},
    {"POST", "/v1/query/compliantForces", "", API_TARGET_NONE, API_INTAKE_JSON,
     API_KIND_COMPLIANT_FORCES, api_query_one},
    {"POST", "/v1/query", "", API_TARGET_NONE, API_INTAKE_JSON, NO_KIND, api_query_batch},
    {"POST", "/v1/solve/lcp", "", API_TARGET_NONE, API_INTAKE_JSON, NO_KIND, api_solve_lcp},
    {"POST", "/v1/solve/friction", "", API_TARGET_NONE, API_INTAKE_JSON, NO_KIND,
     api_solve_friction},
    {"GET", "/v1/shapes", " cursor limit ", API_TARGET_SHAPE_LIST, API_INTAKE_NONE, NO_KIND,
     api_shapes_list},
    {"POST", "/v1/shapes",
     " unit solid convexHull weld capHoles planarity keepDuplicates deadlineMs ",
     API_TARGET_SHAPE_WRITE, API_INTAKE_SHAPE, NO_KIND, api_shapes_post},
    {"GET", "/v1/shapes/{id}", " include ", API_TARGET_SHAPE_READ, API_INTAKE_NONE, NO_KIND,
     api_shape_read},
    {"HEAD", "/v1/shapes/{id}", " include ", API_TARGET_SHAPE_READ, API_INTAKE_NONE, NO_KIND,
     api_shape_read},
    {"DELETE", "/v1/shapes/{id}", "", API_TARGET_SHAPE_WRITE, API_INTAKE_NONE, NO_KIND,
     api_shape_delete},
    {"GET", "/v1/limits", "", API_TARGET_NONE, API_INTAKE_NONE, NO_KIND, api_meta_limits},
    {"GET", "/v1/version", "", API_TARGET_NONE, API_INTAKE_NONE, NO_KIND, api_meta_version},
    {"GET", "/openapi.json", "", API_TARGET_NONE, API_INTAKE_NONE, NO_KIND, api_meta_openapi},
    {"GET", "/problems/{name}", "", API_TARGET_NONE, API_INTAKE_NONE, NO_KIND, api_meta_problem},
};
const size_t api_route_count = sizeof api_routes / sizeof api_routes[0];

static const char *const kind_words[] = {
#define API_KIND_WORD(name, word) [API_KIND_##name] = word,
    API_KIND_MAP(API_KIND_WORD)
#undef API_KIND_WORD
};

const char *api_kind_word(api_kind kind) { return kind < API_KIND_COUNT ? kind_words[kind] : ""; }

api_kind api_kind_of(const char *word, size_t length) {
  for (int k = 0; k < API_KIND_COUNT; k++)
    if (strlen(kind_words[k]) == length && memcmp(kind_words[k], word, length) == 0)
      return (api_kind)k;
  return API_KIND_NONE;
}
