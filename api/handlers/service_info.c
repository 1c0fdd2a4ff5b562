/* Handles documents about the daemon; they depend only on the program and its options. */
#include "handlers/service_info.h"

#include "common/limits.h"
#include "documents/motion_json.h"
#include "handlers/openapi_bytes.h"
#include "queries/motion_path_json.h"
#include "queries/motion_request.h"
#include "json/json_parser.h"

#include <string.h>

/* Puts the limits of the engine and of the readers that cannot be configured. */
static void put_fixed_limits(api_buffer *out) {
  const struct {
    const char *name;
    double value;
    const char *unit;
  } rows[] = {
      {"sizeMin", CT_SIZE_MIN, "m"},
      {"sizeMax", CT_SIZE_MAX, "m"},
      {"coordinateMax", CT_COORDINATE_MAX, "m"},
      {"massMin", CT_MASS_MIN, "kg"},
      {"massMax", CT_MASS_MAX, "kg"},
      {"durationMax", CT_DURATION_MAX, "s"},
      {"turnMax", CT_TURN_MAX, "rad"},
      {"durationMin", API_DURATION_MIN, "s"},
      {"speedMax", API_SPEED_MAX, "m/s, rad/s"},
      {"accelerationMax", API_ACCELERATION_MAX, "m/s^2"},
      {"impactIterations", CT_TOI_ITERATIONS, ""},
      {"impactIterationsMax", API_IMPACT_ITERATIONS_MAX, ""},
      {"timelineChanges", CT_CHANGES_MAX, ""},
      {"idBytes", CT_ID_LENGTH_MAX, "bytes"},
      {"filterGroups", CT_GROUPS_MAX, ""},
      {"lcpRowsDirect", CT_LCP_DIRECT_MAX, ""},
      {"lcpRowsIterative", CT_LCP_ITERATIVE_MAX, ""},
      {"lcpRowsEnumeration", CT_LCP_ENUMERATION_MAX, ""},
      {"advanceSteps", CT_ADVANCE_STEPS_MAX, ""},
      {"numberLiteralCharacters", API_NUMBER_LITERAL_MAX, ""},
  };
  api_put_key(out, "fixed");
  api_put_byte(out, '{');
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    api_put_key(out, rows[i].name);
    api_put_byte(out, '{');
    api_put_member_number(out, "value", rows[i].value);
    if (rows[i].unit[0]) api_put_member_string(out, "unit", api_text(rows[i].unit));
    api_put_byte(out, '}');
  }
  api_put_byte(out, '}');
}

api_step api_meta_limits(api_call *call) {
  api_buffer *out = &call->out;
  api_call_open(call);
  api_put_key(out, "limits");
  api_put_byte(out, '{');
  for (size_t i = 0; i < api_limit_count(); i++) {
    const api_limit *limit = api_limit_get(i);
    api_put_key(out, limit->name);
    api_put_byte(out, '{');
    api_put_member_unsigned(out, "value", api_limit_value(&call->service->limits, limit));
    api_put_member_unsigned(out, "default", limit->standard);
    if (limit->unit[0]) api_put_member_string(out, "unit", api_text(limit->unit));
    api_put_member_string(out, "description", api_text(limit->text));
    api_put_byte(out, '}');
  }
  api_put_byte(out, '}');
  put_fixed_limits(out);
  api_put_member_unsigned(out, "workers", call->service->workers);
  return api_call_send(call, 200);
}

api_step api_meta_version(api_call *call) {
  api_buffer *out = &call->out;
  api_call_open(call);
  api_put_member_string(out, "name", api_text("contactd"));
  api_put_member_string(out, "version", api_text(CONTACTD_VERSION));
  api_put_member_string(out, "api", api_text("v1"));
  api_put_member_string(out, "durability", api_text(call->service->durability));
  return api_call_send(call, 200);
}

api_step api_meta_openapi(api_call *call) {
  api_put_bytes(&call->out, (const char *)api_openapi_bytes, api_openapi_length);
  return api_call_send_raw(call, 200);
}

api_step api_meta_problem(api_call *call) {
  api_problem_id id;
  if (!api_problem_find(call->match.item_id, &id)) {
    const char *name = call->match.item_id;
    api_spelling likeness = api_spelling_start(name, strlen(name));
    for (int i = 0; i < API_PROBLEM_COUNT; i++) {
      const char *known = api_problem_get((api_problem_id)i)->name;
      api_spelling_consider(&likeness, known, strlen(known));
    }
    api_fault_did_you_mean(api_fault_plain(&call->faults, API_PROBLEM_NOT_FOUND,
                                           "No type of problem has the name \"%s\".", name),
                           likeness);
    return api_call_fail(call);
  }
  const api_problem *problem = api_problem_get(id);
  api_buffer *out = &call->out;
  api_call_open(call);
  api_put_key(out, "type");
  api_put_raw(out, "\"/problems/");
  api_put_raw(out, problem->name);
  api_put_byte(out, '"');
  api_put_member_string(out, "title", api_text(problem->title));
  api_put_member_unsigned(out, "status", (uint64_t)problem->status);
  api_put_member_string(out, "description", api_text(problem->text));
  return api_call_send(call, 200);
}
