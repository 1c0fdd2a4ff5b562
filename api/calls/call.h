/* The life of one call: what its handler sees, and how a reply is made. The handler of a route reads the request and either replies
 * (API_STEP_DONE) or leaves a plan of ranges (API_STEP_WORK). */
#ifndef API_CALLS_CALL_H
#define API_CALLS_CALL_H

#include <api/api.h>
#include <jansson.h>

#include "calls/events.h"
#include "calls/route_match.h"
#include "calls/routes.h"
#include "calls/service.h"
#include "common/arena.h"
#include "common/problem.h"
#include "common/warning.h"
#include "documents/ndjson.h"
#include "shapes/shape_reference.h"
#include "json/fields.h"

/* A streamed body in the making: bodies (POST) or merge patches (PATCH). */
typedef struct api_feed {
  api_ndjson ndjson;
  api_arena arena; /* rewound by line */
  api_body_list bodies;
  api_patch_lines patches;
  bool used;
} api_feed;

/* Empties a collector of errors; its items need not be cleared. */
static inline void api_faults_clear(api_faults *faults) {
  faults->count = 0;
  faults->alone = false;
}

typedef struct api_plan api_plan;
typedef struct api_contact_event api_contact_event;
typedef struct api_advance api_advance;
typedef struct api_solve api_solve;

struct api_call {
  const api_service *service;
  const api_route *route;
  api_match match;
  char *query; /* raw text after '?'; these three NULL when not sent */
  char *if_match;
  char *if_none_match;
  api_input input;
  const ct_scene *scene; /* the revision asked of: current, or a kept one; borrowed from the input */
  const ct_scene *next;  /* new revision, owned */
  const ct_scene *pin;   /* borrowed from the input */
  api_kept_query kept_query; /* that a cursor in the reply continues; bytes NULL: none. Borrowed likewise */
  const api_kept_query *continued; /* the one that the request's cursor continues, in place of its body; NULL: none */
  json_t *json;          /* the body */
  api_plan *plan;        /* queries */
  api_contact_event *event;
  api_advance *advance;
  api_solve *solve; /* raw problems; of the arena */
  uint64_t deadline_ms;
  api_buffer out; /* the reply's body */
  api_reply reply;
  api_arena arena; /* of the request; one thread */
  api_feed feed;
  api_event_list events;
  char contact_state[CT_ID_LENGTH_MAX + 1]; /* that a listener names; "": none */
  const api_shape *shape;                   /* a new one, owned */
  bool drops_shape;                         /* that of match.item_id */
  bool again;                               /* what was asked and answered once, from the store */
  api_shape_scope shapes;                   /* these three are large and need no more than their count */
  api_warnings warnings;
  api_faults faults;
};

api_reader api_call_reader(api_call *call);
/* Parses the body into call->json. False: faults. */
bool api_call_parse(api_call *call, api_field *root);

/* Fault SCENE_NOT_FOUND, BODY_NOT_FOUND ... about the path. */
api_step api_call_not_found(api_call *call, api_problem_id id);
/* Sends call->faults (there is one at least) and drops a new revision. */
api_step api_call_fail(api_call *call);
/* Sends call->out, opened by api_call_open and closed here with "}". */
api_step api_call_send(api_call *call, int status);
/* Sends call->out as it stands. */
api_step api_call_send_raw(api_call *call, int status);
/* Content type of a reply in lines. */
#define API_LINES_TYPE "application/x-ndjson"

/* The reply that was sent, with what call->out holds now, is lines of NDJSON. */
api_step api_call_send_lines(api_call *call);
void api_call_open(api_call *call);
/* Ends a write: seals the draft, replies {revision, durability}, after the members that call->out may hold, or the fault. */
api_step api_call_commit(api_call *call, ct_draft *draft, int status);
/* The reply of a write whose new revision has the number; likewise. */
api_step api_call_written(api_call *call, uint64_t revision, int status);

/* A header with a formatted value (cut at its room). */
__attribute__((format(printf, 3, 4))) void api_call_header(api_call *call, const char *name, const char *format, ...);
/* The header Location: of the scene, or of an item of its collection ("bodies"). NULL: none. */
void api_call_location(api_call *call, const char *scene, const char *collection, const char *item);
void api_call_etag(api_call *call, uint64_t revision);

/* ---- preconditions -------------------------------------------------------------------------------------------------------- */

/* Is If-None-Match, where it is given, a list of entity tags? A tag without quotes would match nothing, without a word. False: 400
 * fault. */
bool api_call_tags_valid(api_call *call);
/* If-Match and If-None-Match of a write against the current revision; `exists` tells of the resource itself. False: 412 fault. */
bool api_call_may_write(api_call *call, bool exists);
/* If-None-Match of a GET: true when the current revision is named; the reply is then 304. */
bool api_call_unmodified(const api_call *call);
/* If-Match of a query: picks call->scene among current and kept. False: 412 fault. */
bool api_call_pick_revision(api_call *call);
/* The revision that a cursor names, or NULL with a REVISION_GONE fault. */
const ct_scene *api_call_find_revision(const api_call *call, uint64_t revision, api_faults *faults);

#endif
