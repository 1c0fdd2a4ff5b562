/* Reads the options of force queries. Given contacts and loads are read in given_contacts.c. */
#include "queries/force_request.h"

#include <assert.h>

#include "common/spelling.h"
#include "documents/elastic_json.h"
#include "documents/material_json.h"
#include "documents/motion_json.h"
#include "queries/given_contacts.h"
#include "results/contact_state_json.h"

/* Greatest and default value of timeStep, the time step of friction at velocity level, s. */
#define TIME_STEP_MAX 1e3
#define TIME_STEP 1e-3
/* Assumed memory of a contact in its island and in the result, bytes. requestMemoryBytes divided by
 * it limits the number of contacts. */
#define BYTES_PER_CONTACT 2048

/* Number of bodies of the scene that are checked between two polls of the cancel flag. */
#define ROWS_PER_POLL 256

const char *api_force_member_word(int member) {
#define WORD(name, word) word,
  static const char *const words[] = {API_FORCE_MEMBER_MAP(WORD)};
#undef WORD
  assert(member >= 0 && member < API_FORCE_MEMBER_COUNT);
  return words[member];
}

/* ---- options of one kind -------------------------------------------------------------------- */

#define MAP_WORD(name, word) word,

bool api_read_impulse_options(api_reader *reader, const api_force_fields *f,
                              const api_force_scope *scope, api_force *force) {
  (void)scope;
  ct_impulse_options *out = &force->impulse;
  static const char *const laws[] = {CT_IMPULSE_LAW_MAP(MAP_WORD)}, *const simultaneities[] = {
                                                                        CT_SIMULTANEITY_MAP(
                                                                            MAP_WORD)};
  size_t law = CT_IMPULSE_ALGEBRAIC, simultaneity = CT_SIMULTANEITY_NEWTON;
  bool friction = true;
  out->energy_guard = true;
  bool good = api_read_word(reader, f->own[API_FORCE_LAW], laws, CT_IMPULSE_LAW_COUNT, &law);
  good = api_read_word(reader, f->own[API_FORCE_SIMULTANEOUS], simultaneities,
                       CT_SIMULTANEITY_COUNT, &simultaneity) &&
         good;
  good = api_read_bool(reader, f->own[API_FORCE_FRICTION], &friction) && good;
  good = api_read_bool(reader, f->own[API_FORCE_ENERGY_GUARD], &out->energy_guard) && good;
  good = api_read_number(reader, f->own[API_FORCE_REST_VELOCITY], 0.0, API_SPEED_MAX,
                         &out->rest_velocity) &&
         good;
  out->law = (ct_impulse_law)law;
  out->simultaneity = (ct_simultaneity)simultaneity;
  out->frictionless = !friction;
  force->law_given = api_field_present(f->own[API_FORCE_LAW]);
  return good;
}

/* Methods of restingForces: those for linear complementarity problems, then those for cone
 * friction. */
static const char *const method_words[] = {"auto",   "dantzig",   "blockPivoting", "lemke",
                                           "pgs",    "quadratic", "enumeration",   "nsgs",
                                           "newton", "gradient"};
static const ct_lcp_method lcp_methods[] = {
    CT_LCP_AUTO, CT_LCP_DANTZIG,   CT_LCP_BLOCK_PIVOTING, CT_LCP_LEMKE,
    CT_LCP_PGS,  CT_LCP_QUADRATIC, CT_LCP_ENUMERATION};
static const ct_friction_method friction_methods[] = {CT_FRICTION_NSGS, CT_FRICTION_NEWTON,
                                                      CT_FRICTION_GRADIENT};
enum { METHOD_AUTO, METHOD_LEMKE = 3, LCP_METHODS = 7, METHODS = 10 };

/* Stores the method and checks that it fits the friction model. If the request has no friction
 * model, the method determines it. False with CONFLICTING_MEMBERS. */
static bool resolve_resting_method(api_reader *reader, const api_field *field, size_t method,
                                   api_force *out) {
  assert(method < METHODS);
  ct_resting_options *o = &out->resting;
  if (method == METHOD_AUTO) return true;
  bool cone = method >= LCP_METHODS;
  if (!out->friction_given)
    o->friction = cone ? CT_RESTING_FRICTION_CONE : CT_RESTING_FRICTION_NONE;
  out->friction_given = true;
  bool fits = o->friction == CT_RESTING_FRICTION_CONE   ? cone
              : o->friction == CT_RESTING_FRICTION_NONE ? !cone
                                                        : method == METHOD_LEMKE;
  if (cone) o->friction_method = friction_methods[method - LCP_METHODS];
  else o->lcp_method = lcp_methods[method];
  if (fits) return true;
  static const char *const needs[] = {
      [CT_RESTING_FRICTION_NONE] = ("friction none, whose methods are dantzig, blockPivoting, "
                                    "lemke, pgs, quadratic, enumeration"),
      [CT_RESTING_FRICTION_CONE] = "friction cone, whose methods are nsgs, newton, gradient",
      [CT_RESTING_FRICTION_POLYHEDRAL] = "friction polyhedral, whose method is lemke"};
  api_fault_at(reader->faults, API_PROBLEM_CONFLICTING_MEMBERS, &field->path,
               "method \"%s\" cannot be combined with %s.", method_words[method],
               needs[o->friction]);
  return false;
}

static bool refuse_unused_members(api_reader *reader, const api_force_fields *f,
                                  const ct_resting_options *o) {
  bool pyramids = o->friction == CT_RESTING_FRICTION_POLYHEDRAL;
  bool good =
      api_reject_unused(reader, f->own[API_FORCE_DIRECTIONS], !pyramids, "friction polyhedral");
  good = api_reject_unused(reader, f->own[API_FORCE_CIRCUMSCRIBED], !pyramids,
                           "friction polyhedral") &&
         good;
  good =
      api_reject_unused(reader, f->own[API_FORCE_TIE], pyramids, "friction none or cone") && good;
  return api_reject_unused(reader, f->own[API_FORCE_TIME_STEP], o->acceleration_level,
                           "level velocity") &&
         good;
}

bool api_read_resting_options(api_reader *reader, const api_force_fields *f,
                              const api_force_scope *scope, api_force *out) {
  (void)scope;
  static const char *const frictions[] = {CT_RESTING_FRICTION_MAP(MAP_WORD)},
                           *const levels[] = {"velocity", "acceleration"},
                           *const ties[] = {"minNorm", "any"};
  ct_resting_options *o = &out->resting;
  size_t friction = CT_RESTING_FRICTION_NONE, level = 0, tie = 0, method = METHOD_AUTO;
  o->time_step = TIME_STEP;
  o->stability = true;
  bool good = api_read_word(reader, f->own[API_FORCE_FRICTION], frictions, 3, &friction);
  good = api_read_word(reader, f->own[API_FORCE_LEVEL], levels, 2, &level) && good;
  good = api_read_word(reader, f->own[API_FORCE_TIE], ties, 2, &tie) && good;
  good = api_read_word(reader, f->method, method_words, METHODS, &method) && good;
  good = api_read_number(reader, f->own[API_FORCE_TIME_STEP], CT_SIZE_MIN, TIME_STEP_MAX,
                         &o->time_step) &&
         good;
  good = api_read_sides(reader, f->own[API_FORCE_DIRECTIONS], &o->directions) && good;
  good = api_read_bool(reader, f->own[API_FORCE_CIRCUMSCRIBED], &o->circumscribed) && good;
  o->friction = (ct_resting_friction)friction;
  out->friction_given = api_field_present(f->own[API_FORCE_FRICTION]);
  o->acceleration_level = level == 1;
  o->tie = tie ? CT_LCP_TIE_ANY : CT_LCP_TIE_MIN_NORM;
  return good && resolve_resting_method(reader, f->method, method, out) &&
         refuse_unused_members(reader, f, o);
}

/* True if the query's pairs or `where` select the body in this row of the scene. */
static bool is_selected_row(const ct_query_options *q, uint32_t row) {
  if (!q->explicit_pairs) return !q->where_a || !q->where_b || q->where_a[row] || q->where_b[row];
  for (size_t i = 0; i < q->pair_count; i++)
    if (q->pairs[i].a == row || q->pairs[i].b == row) return true;
  return false;
}

/* Checks that the colliders of every selected body have elastic moduli. False with BAD_VALUE. */
static bool check_moduli(api_reader *reader, const api_force_fields *f,
                         const api_force_scope *scope) {
  uint32_t collider;
  char echo[API_ECHO_MAX + 4];
  for (uint32_t row = 0; row < ct_scene_rows(scope->scene); row++) {
    if (row % ROWS_PER_POLL == 0 && api_reader_cancelled(reader)) return false;
    if (!api_find_soft(scope->scene, row, &collider) || !is_selected_row(scope->options, row))
      continue;
    api_fault_at(reader->faults, API_PROBLEM_BAD_VALUE, f->question, API_NO_MODULI_TEXT, collider,
                 api_echo(ct_body_id(ct_scene_body(scope->scene, row)), echo));
    return false;
  }
  return true;
}

bool api_read_compliant_options(api_reader *reader, const api_force_fields *f,
                                const api_force_scope *scope, api_force *out) {
  ct_compliant_options *o = &out->compliant;
  ct_text id;
  /* A contact without depth has no elastic force, and each pair is represented by its deepest
   * point. */
  out->mechanics.contact_tolerance = 0.0;
  out->mechanics.detail = CT_DETAIL_DEEPEST;
  bool good = api_read_elastic(reader, f->own[API_FORCE_ELASTIC], &o->elastic, o);
  o->elastic = ct_elastic_options_effective(&o->elastic);
  o->cancel = reader->cancel;
  if (api_field_present(f->state)) {
    if (!api_read_id(reader, f->state, &id)) return false;
    o->state = api_contact_state_find(scope->scene, id);
    char echo[API_ECHO_MAX + 4];
    if (!o->state)
      api_fault_did_you_mean(api_fault_at(reader->faults, API_PROBLEM_UNKNOWN_ID, &f->state->path,
                                          "The scene has no contact state \"%s\".",
                                          api_echo(id, echo)),
                             api_spelling_of_attachments(scope->scene, id));
    good = o->state && good;
    /* A contact of a state begins at the contact epsilon, where its force is zero: report contacts
     * up to this distance. */
    if (o->state) out->mechanics.contact_tolerance = ct_contact_state_epsilon(o->state);
  }
  return good && (o->youngs_modulus > 0.0 || check_moduli(reader, f, scope));
}

/* ---- members of all kinds ------------------------------------------------------------------- */

bool api_read_velocity_tolerance(api_reader *reader, const api_field *field, const ct_scene *scene,
                                 double contact_tolerance, double *out) {
  *out = ct_scene_velocity_tolerance(contact_tolerance, ct_scene_gravity(scene));
  return api_read_number(reader, field, 0.0, API_SPEED_MAX, out);
}

uint32_t api_find_singular(const ct_scene *scene) {
  const ct_velocity at_rest = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
  const ct_pose pose = ct_pose_identity();
  for (uint32_t row = 0; row < ct_scene_rows(scene); row++) {
    const ct_body *body = ct_scene_body(scene, row);
    const ct_motion *motion = body ? ct_body_motion(body) : NULL;
    ct_mass_body mass;
    if (!motion || motion->is_kinematic ||
        ct_scene_mass_body(scene, row, &pose, &at_rest, ct_vec(0.0, 0.0, 0.0), &mass))
      continue;
    return row;
  }
  return CT_NO_ROW;
}

/* Reads {method?, normalWeighting?, epsilon?, sparsify?}. If the member is present, the query's
 * contacts are volumetric. */
static bool read_volumetric(api_reader *reader, const api_force_fields *f,
                            const api_force_scope *scope, api_force *out) {
  const api_field *field = f->own[API_FORCE_VOLUMETRIC];
  if (!api_field_present(field)) return true;
  if (!api_reject_combination(reader, field, out->mechanics.only_given, "contacts")) return false;
  api_field m[] = {{.name = "method"},
                   {.name = "normalWeighting"},
                   {.name = "epsilon"},
                   {.name = "sparsify"}},
            absent = {0};
  if (!api_read_object(reader, field, m, 4)) return false;
  const api_volume_fields fields = {&m[1], &m[0], &m[2], &absent, &m[3], &absent};
  if (!api_read_volume(reader, &fields, &out->volumetric)) return false;
  if (!api_read_present(reader, scope->scene, &out->volumetric)) return false;
  double clearance = 0.0; /* the clearance that api_resolve_volume reports is not needed: the engine
                             sets its own */
  api_resolve_volume(&out->volumetric, scope->scene, &clearance, &out->warning);
  out->volumes =
      (ct_mechanics_volumes){out->volumetric.options, api_volume_sparsification(&out->volumetric)};
  out->mechanics.volumes = &out->volumes;
  return true;
}

/* Reads contacts, loads and tolerances; the selection was read before. */
static bool read_mechanics(api_reader *reader, const api_force_fields *f,
                           const api_force_scope *scope, api_force *out) {
  ct_mechanics_options *o = &out->mechanics;
  const ct_query_options *q = scope->options;
  ct_pair_material *material = NULL;
  *o = (ct_mechanics_options){
      .contact_tolerance = ct_scene_default_epsilon(scope->scene),
      .detail = scope->detail,
      .only_given = api_field_present(f->own[API_FORCE_CONTACTS]),
      .gravity = &out->gravity,
      .overrides = q->overrides,
      .override_count = q->override_count,
      .velocities = scope->velocities,
      .velocity_count = scope->velocity_count,
      .where_a = q->where_a,
      .where_b = q->where_b,
      .pairs = q->pairs,
      .pair_count = q->pair_count,
      .explicit_pairs = q->explicit_pairs,
      .broadphase = q->broadphase,
      .candidates_max = reader->limits->pairs,
      .contacts_max = (size_t)(reader->limits->request_memory_bytes / BYTES_PER_CONTACT),
      .cancel = reader->cancel};
  out->gravity = ct_scene_gravity(scope->scene);
  bool good = api_read_vec3(reader, f->own[API_FORCE_GRAVITY], API_GRAVITY_MAX, &out->gravity);
  good = api_read_number(reader, f->own[API_FORCE_CONTACT_TOLERANCE], 0.0, CT_SIZE_MAX,
                         &o->contact_tolerance) &&
         good;
  out->velocity_tolerance = ct_scene_velocity_tolerance(o->contact_tolerance, out->gravity);
  good = api_read_number(reader, f->own[API_FORCE_VELOCITY_TOLERANCE], 0.0, API_SPEED_MAX,
                         &out->velocity_tolerance) &&
         good;
  if (api_field_present(f->own[API_FORCE_MATERIAL])) {
    material = api_arena_alloc(reader->arena, sizeof *material);
    if (!material) api_fault_memory(reader->faults);
    if (!material) return false;
    *material = (ct_pair_material){0};
    good = api_read_pair_material(reader, f->own[API_FORCE_MATERIAL], material) && good;
    o->material = material;
  }
  good = api_read_given_contacts(reader, f->own[API_FORCE_CONTACTS], scope->scene, o) && good;
  good = read_volumetric(reader, f, scope, out) && good;
  return api_read_loads(reader, f->own[API_FORCE_LOADS], scope->scene, o) && good;
}

bool api_read_force(api_reader *reader, const api_force_fields *fields,
                    const api_force_scope *scope, api_force_reader *read_options, api_force *out) {
  bool good = read_mechanics(reader, fields, scope, out);
  good = read_options(reader, fields, scope, out) && good;
  out->impulse.velocity_tolerance = out->resting.velocity_tolerance = out->velocity_tolerance;
  out->impulse.cancel = out->resting.cancel = reader->cancel;
  return good;
}
