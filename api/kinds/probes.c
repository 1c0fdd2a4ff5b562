/* Operations of the query kinds raycast, nearest, point and region, which test rays, points or a
 * region against the bodies of a scene. */
#include "kinds/kinds.h"

#include <assert.h>

#include "execution/cost_estimate.h"
#include "execution/range_run.h"
#include "queries/body_selection.h"
#include "queries/query_members.h"
#include "results/result_json.h"
#include "shapes/shape_json.h"

/* ---- reading -------------------------------------------------------------------------------- */

/* Greatest component of a ray's direction, and greatest maxDistance, m, which exceeds the distance
 * of any two valid coordinates. */
#define API_DIRECTION_MAX 1e300
#define API_REACH_MAX 1e10

/* Members of the request. A member that the kind does not have is absent. */
typedef struct api_probe_fields {
  const api_field *rays, *hits, *points, *nearest, *max_distance, *region, *mode;
} api_probe_fields;

/* Rays or points read between two polls of the cancel flag. */
#define ITEMS_PER_POLL 1024

/* Checks that a required member is present. False with MISSING_MEMBER. */
static bool check_required(api_reader *reader, const api_field *field) {
  if (api_field_present(field)) return true;
  api_fault_at(reader->faults, API_PROBLEM_MISSING_MEMBER, &field->path,
               "The member \"%s\" is required.", field->name);
  return false;
}

/* Reads a ray {"origin", "direction", "maxDistance"?}. */
static bool read_ray(api_reader *reader, const api_field *field, ct_ray *out) {
  api_field members[] = {{.name = "origin", .required = true},
                         {.name = "direction", .required = true},
                         {.name = "maxDistance"}};
  out->reach = INFINITY;
  bool good = api_read_object(reader, field, members, 3);
  good = api_read_position(reader, &members[0], &out->origin) && good;
  good = api_read_vec3(reader, &members[1], API_DIRECTION_MAX, &out->direction) && good;
  good = api_read_number(reader, &members[2], 0.0, API_REACH_MAX, &out->reach) && good;
  if (!good || ct_max_abs(out->direction) > 0.0) return good;
  api_fault_at(reader->faults, API_PROBLEM_BAD_VALUE, &members[1].path,
               "direction must not be the zero vector.");
  return false;
}

static bool read_rays(api_reader *reader, const api_field *field, ct_probe_options *out) {
  if (!api_read_array(reader, field, 0, reader->limits->rays, &out->count)) return false;
  ct_ray *rays = api_arena_array(reader->arena, out->count, sizeof *rays);
  if (!rays) api_fault_memory(reader->faults);
  for (size_t i = 0; rays && i < out->count && !api_faults_full(reader->faults); i++) {
    api_field element = api_field_element(field, i);
    if (i % ITEMS_PER_POLL == 0 && api_reader_cancelled(reader)) return false;
    read_ray(reader, &element, &rays[i]);
  }
  out->rays = rays;
  return !api_faults_any(reader->faults);
}

static bool read_points(api_reader *reader, const api_field *field, ct_probe_options *out) {
  if (!api_read_array(reader, field, 0, reader->limits->points, &out->count)) return false;
  ct_vec3 *points = api_arena_array(reader->arena, out->count, sizeof *points);
  if (!points) api_fault_memory(reader->faults);
  for (size_t i = 0; points && i < out->count && !api_faults_full(reader->faults); i++) {
    api_field element = api_field_element(field, i);
    if (i % ITEMS_PER_POLL == 0 && api_reader_cancelled(reader)) return false;
    api_read_position(reader, &element, &points[i]);
  }
  out->points = points;
  return !api_faults_any(reader->faults);
}

static bool read_raycast(api_reader *reader, const api_probe_fields *fields,
                         ct_probe_options *out) {
  static const char *const words[] = {"first", "all"};
  size_t which = 0;
  bool good = api_read_word(reader, fields->hits, words, 2, &which);
  out->kind = CT_PROBE_RAYCAST;
  out->all = which == 1;
  return check_required(reader, fields->rays) && read_rays(reader, fields->rays, out) && good;
}

static bool read_nearest(api_reader *reader, const api_probe_fields *fields,
                         ct_probe_options *out) {
  uint64_t nearest = 1;
  bool good = api_read_unsigned(reader, fields->nearest, 1, reader->limits->nearest, &nearest);
  out->kind = CT_PROBE_NEAREST;
  out->nearest = (uint32_t)nearest;
  out->reach = INFINITY;
  good = api_read_number(reader, fields->max_distance, 0.0, API_REACH_MAX, &out->reach) && good;
  return check_required(reader, fields->points) && read_points(reader, fields->points, out) && good;
}

/* Makes the box with the lower corner min and the upper corner max. */
static bool read_region_corners(api_reader *reader, api_field corners[2], ct_collider *out) {
  ct_vec3 low, high;
  bool good = api_read_position(reader, &corners[0], &low);
  good = api_read_position(reader, &corners[1], &high) && good;
  if (!good) return false;
  ct_vec3 size = ct_sub(high, low);
  if (!(size.x >= CT_SIZE_MIN && size.y >= CT_SIZE_MIN && size.z >= CT_SIZE_MIN)) {
    api_fault_at(reader->faults, API_PROBLEM_OUT_OF_RANGE, &corners[1].path,
                 "max must exceed min by at least %g m in each coordinate.", CT_SIZE_MIN);
    return false;
  }
  *out = (ct_collider){.shape = {.kind = CT_KIND_BOX, .box = {ct_scale(size, 0.5)}},
                       .pose = ct_pose_identity()};
  out->pose.position = ct_lerp(low, high, 0.5);
  return true;
}

/* Reads a collider as a region. Its member material is refused. */
static bool read_region_shape(api_reader *reader, const api_field *field, ct_collider *out) {
  if (!api_read_collider(reader, field, out)) return false;
  if (!out->material.length) return true;
  api_pointer material = api_pointer_member(&field->path, "material");
  api_fault_at(reader->faults, API_PROBLEM_CONFLICTING_MEMBERS, &material,
               "A region has no material: remove the member \"material\" of the collider.");
  api_collider_release(out);
  return false;
}

/* Reads a region: a collider, or a box {min, max}. On success *out owns its shape, to be released
 * with api_collider_release. */
static bool read_region(api_reader *reader, const api_field *field, ct_collider *out) {
  if (!json_object_get(field->value, "min") && !json_object_get(field->value, "max"))
    return read_region_shape(reader, field, out);
  api_field corners[] = {{.name = "min", .required = true}, {.name = "max", .required = true}};
  return api_read_object(reader, field, corners, 2) && read_region_corners(reader, corners, out);
}

static bool read_region_options(api_reader *reader, const api_probe_fields *fields,
                                ct_probe_options *out) {
  static const char *const words[] = {"overlapping", "inside"};
  size_t which = 0;
  bool good = api_read_word(reader, fields->mode, words, 2, &which);
  out->kind = CT_PROBE_REGION;
  out->inside = which == 1;
  return check_required(reader, fields->region) && good;
}

static bool read_query_point(api_reader *reader, const api_probe_fields *fields,
                             ct_probe_options *out) {
  out->kind = CT_PROBE_POINT;
  return check_required(reader, fields->points) && read_points(reader, fields->points, out);
}

/* Reads the options of one kind of probe. */
typedef bool probe_reader(api_reader *reader, const api_probe_fields *fields,
                          ct_probe_options *out);

/* Reads the members of a query of a scene: rays, points or a region, the selection, and the
 * hypothetical poses. */
static bool read_probe_query(api_reader *reader, const api_member_set *set,
                             const api_query_context *context, probe_reader *read_options,
                             api_query *out) {
  const api_field *where = api_member(set, API_MEMBER_WHERE),
                  *region = api_member(set, API_MEMBER_REGION);
  api_probe_fields fields = {.rays = api_member(set, API_MEMBER_RAYS),
                             .hits = api_member(set, API_MEMBER_HITS),
                             .points = api_member(set, API_MEMBER_POINTS),
                             .nearest = api_member(set, API_MEMBER_NEAREST),
                             .max_distance = api_member(set, API_MEMBER_MAX_DISTANCE),
                             .region = region,
                             .mode = api_member(set, API_MEMBER_MODE)};
  ct_probe_options *probe = &out->probe;
  out->mode = API_MODE_PROBE;
  bool good = read_options(reader, &fields, probe);
  if (api_field_present(region)) {
    out->has_region = read_region(reader, region, &out->region);
    good = out->has_region && good;
    probe->region = out->region.shape;
    probe->region_pose = out->region.pose;
  }
  if (api_field_present(where))
    good = api_read_selection(reader, where, out->scene, &out->warnings, &probe->where) && good;
  good = api_read_what_if(reader, api_member(set, API_MEMBER_POSES), context, out) && good;
  probe->overrides = out->options.overrides;
  probe->override_count = out->options.override_count;
  probe->broadphase = out->options.broadphase;
  probe->cancel = reader->cancel;
  return good;
}

#define PROBE_READ(name, read_options)                                                             \
  static bool name(api_reader *reader, const api_member_set *set,                                  \
                   const api_query_context *context, api_query *out) {                             \
    return read_probe_query(reader, set, context, read_options, out);                              \
  }
PROBE_READ(read_raycast_query, read_raycast)
PROBE_READ(read_nearest_query, read_nearest)
PROBE_READ(read_point_query, read_query_point)
PROBE_READ(read_region_query, read_region_options)

/* ---- running -------------------------------------------------------------------------------- */

/* Sets the number of items and the cost of a probe; prepares it if `shared`. If it is not prepared,
 * its items are the rays or points of the request, for a region all rows of the scene. */
static ct_status plan_probe(const api_plan *plan, api_task *task, bool shared) {
  const api_query *q = &task->question;
  size_t rows = ct_scene_rows(q->scene);
  (void)plan;
  task->items = q->probe.kind == CT_PROBE_REGION ? rows : q->probe.count;
  task->cost = API_ROW_NS * (double)(rows + task->items);
  if (!shared) return CT_OK;
  ct_status status = ct_probe_prepare(q->scene, &q->probe, &task->probe);
  if (status != CT_OK) return status;
  task->items = ct_probe_items(task->probe);
  task->cost = ct_probe_cost(task->probe);
  return CT_OK;
}

static void put_probe_result(api_buffer *buffer, ct_probe_kind kind, const ct_body *body,
                             ct_pose pose, const ct_probe_hit *hit) {
  assert(body && hit->collider < ct_body_collider_count(body));
  api_put_byte(buffer, '{');
  if (kind != CT_PROBE_REGION)
    api_put_member_unsigned(buffer, kind == CT_PROBE_RAYCAST ? "ray" : "point", hit->item);
  api_put_id(buffer, "id", ct_body_id(body));
  api_put_collider_name(buffer, "collider", body, hit->collider);
  const ct_shape shape = ct_body_collider(body, hit->collider).shape;
  bool surface = kind == CT_PROBE_RAYCAST ? ct_shape_is_surface(&shape) : ct_body_has_surface(body);
  if (surface) api_put_member_bool(buffer, "surface", true);
  if (kind == CT_PROBE_REGION) {
    api_put_member_bool(buffer, "inside", hit->inside);
  } else {
    api_put_member_number(buffer, "distance", hit->distance);
    api_put_member_vec3(buffer, "position", hit->position);
    api_put_member_vec3(buffer, "normal", hit->normal);
    if (kind == CT_PROBE_RAYCAST) api_put_member_bool(buffer, "entering", hit->entering);
    const api_surface at = api_surface_of(body, hit->collider, pose);
    api_put_surface_id(buffer, "surfaceId", &at, hit->position, hit->normal);
    if (hit->triangle != CT_NO_TRIANGLE) api_put_member_unsigned(buffer, "triangle", hit->triangle);
    api_put_status(buffer, hit->status, hit->flags);
  }
  api_put_byte(buffer, '}');
}

static bool write_probe_hit(void *context, const ct_probe_hit *hit) {
  api_range_run *run = context;
  if (api_range_is_full(run)) return api_count_result(run);
  const api_query *q = &run->task->question;
  api_put_item(&run->range->text);
  const ct_pose pose =
      ct_override_pose(q->scene, q->probe.overrides, q->probe.override_count, hit->row);
  put_probe_result(&run->range->text, q->probe.kind, ct_scene_body(q->scene, hit->row), pose, hit);
  return api_mark_result(run, (api_mark){.item = hit->item, .after = hit->rank});
}

/* Runs items [begin, end) of a probe. If task->probe is not prepared, the query has a single range,
 * which prepares its own and runs all items. */
static void run_probe_query(api_range_run *run, size_t begin, size_t end) {
  const api_task *task = run->task;
  const api_query *q = &task->question;
  ct_query_range items = {.begin = begin, .end = end, .after = CT_NO_ROW};
  if (q->resumed && begin == task->start) items.after = q->from.after;
  ct_probe *own = NULL;
  ct_status status = task->probe ? CT_OK : ct_probe_prepare(q->scene, &q->probe, &own);
  if (own) items.end = ct_probe_items(own);
  assert(!own || task->range_count == 1);
  if (status == CT_OK)
    status = ct_probe_run(own ? own : task->probe, &items, run->workspace, write_probe_hit, run);
  ct_probe_destroy(own);
  if (status != CT_OK) run->range->status = status;
}

/* ---- rows ----------------------------------------------------------------------------------- */

#define OF_SCENE (API_MEMBERS_PAGE | API_MEMBER(WHERE) | API_MEMBER(POSES) | API_MEMBER(BROADPHASE))
#define OF_GIVEN (API_MEMBERS_PAGE | API_MEMBERS_GIVEN)
#define OF_RAYCAST (API_MEMBER(RAYS) | API_MEMBER(HITS))
#define OF_NEAREST (API_MEMBER(POINTS) | API_MEMBER(NEAREST) | API_MEMBER(MAX_DISTANCE))
#define OF_POINT API_MEMBER(POINTS)
#define OF_REGION (API_MEMBER(REGION) | API_MEMBER(MODE))

#define PROBE_ROW(NAME, row, read_query)                                                           \
  const api_kind_operations api_kind_##row = {.number = API_KIND_##NAME,                           \
                                              .scene_members = OF_SCENE | OF_##NAME,               \
                                              .given_members = OF_GIVEN | OF_##NAME,               \
                                              .one_body = true,                                    \
                                              .read = read_query,                                  \
                                              .read_given = api_read_given_scene,                  \
                                              .plan = plan_probe,                                  \
                                              .run = run_probe_query};
PROBE_ROW(RAYCAST, raycast, read_raycast_query)
PROBE_ROW(NEAREST, nearest, read_nearest_query)
PROBE_ROW(POINT, point, read_point_query)
PROBE_ROW(REGION, region, read_region_query)
