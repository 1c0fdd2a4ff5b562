/* Finds the contacts of a scene's mechanics: the given ones, or those found by a query of the
 * scene. Only contacts with at least one dynamic body are used. */
#include "mechanics/mechanics_contacts.h"

#include "base/array.h"
#include "mechanics/mechanics_curvature.h"
#include "scene/body.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Reserves memory for one more contact. CT_LIMIT: there are already as many as permitted. */
static ct_status reserve_scene_contact(ct_mechanics_parts *parts) {
  if (parts->count < parts->capacity) return CT_OK;
  size_t most = parts->options->contacts_max;
  if (parts->count >= (most ? most : CT_CONTACTS_MAX)) return CT_LIMIT;
  return ct_array_reserve(&parts->contacts, &parts->capacity, parts->count + 1,
                          sizeof *parts->contacts)
             ? CT_OK
             : CT_OUT_OF_MEMORY;
}

static bool is_any_dynamic(const ct_mechanics_parts *parts, uint32_t a, uint32_t b) {
  return parts->place[a] != CT_NO_ROW || parts->place[b] != CT_NO_ROW;
}

/* ---- given contacts -------------------------------------------------------------------------- */

static ct_text find_material_name(const ct_mechanics_parts *parts, uint32_t row,
                                  uint32_t collider) {
  const ct_body *body = ct_scene_body(parts->scene, row);
  if (collider == CT_NO_COLLIDER) collider = 0;
  return collider < ct_body_collider_count(body) ? ct_body_material(body, collider)
                                                 : (ct_text){NULL, 0};
}

static ct_pair_material find_pair_material(const ct_mechanics_parts *parts,
                                           const ct_contact *contact) {
  if (parts->options->material) return *parts->options->material;
  return ct_scene_pair_material(parts->scene,
                                find_material_name(parts, contact->a, contact->collider_a),
                                find_material_name(parts, contact->b, contact->collider_b));
}

static ct_contact make_given_contact(const ct_mechanics_parts *parts,
                                     const ct_given_contact *given) {
  assert(given->a != given->b);
  const ct_surface point = {.form = CT_SURFACE_POINT}, face = {.form = CT_SURFACE_FACE};
  ct_contact contact = {.a = given->a,
                        .b = given->b,
                        .collider_a = given->collider_a,
                        .collider_b = given->collider_b,
                        .position = given->position,
                        .normal = given->normal,
                        .point_a = given->position,
                        .point_b = given->position,
                        .surface_a = given->fixed_to_b ? point : face,
                        .surface_b = given->fixed_to_b ? face : point,
                        .material = given->material};
  if (!given->has_material) contact.material = find_pair_material(parts, &contact);
  return contact;
}

static ct_status add_given_contacts(ct_mechanics_parts *parts) {
  for (size_t i = 0; i < parts->options->given_count; i++) {
    const ct_given_contact *given = &parts->options->given[i];
    if (!is_any_dynamic(parts, given->a, given->b)) continue;
    ct_status status = reserve_scene_contact(parts);
    if (status != CT_OK) return status;
    parts->contacts[parts->count++] = make_given_contact(parts, given);
  }
  return CT_OK;
}

/* ---- contacts of the scene ------------------------------------------------------------------- */

typedef struct contact_finder {
  ct_mechanics_parts *parts;
  ct_status status;
} contact_finder;

/* Shape and frame of a collider in contact. */
typedef struct side {
  const ct_shape *shape;
  ct_frame frame;
} side;

static side transform_collider(const ct_mechanics_parts *parts, uint32_t row, uint32_t collider) {
  const ct_body *body = ct_scene_body(parts->scene, row);
  const ct_mechanics_options *o = parts->options;
  ct_frame frame =
      ct_frame_of(ct_override_pose(parts->scene, o->overrides, o->override_count, row));
  return (side){ct_body_shape(body, collider), ct_body_shape_frame(body, collider, &frame)};
}

static uint64_t candidates_max(const ct_mechanics_parts *parts) {
  return parts->options->candidates_max ? parts->options->candidates_max : CT_PAIRS_MAX;
}

/* Returns the contact for an overlap volume: its patch is treated as a face of a, its position as a
 * vertex of b. */
static ct_contact make_volume_contact(const ct_volume_hit *hit, const ct_pair_material *material) {
  const ct_volume_contact *c = hit->contact;
  return (ct_contact){.a = hit->a,
                      .b = hit->b,
                      .collider_a = hit->collider_a,
                      .collider_b = hit->collider_b,
                      .position = c->position,
                      .normal = c->normal,
                      .point_a = c->position,
                      .point_b = c->position,
                      .distance = c->gap,
                      .is_volumetric = true,
                      .element_a = c->element_a,
                      .element_b = c->element_b,
                      .area = c->area,
                      .surface_a = {.form = CT_SURFACE_FACE},
                      .surface_b = {.form = CT_SURFACE_POINT},
                      .material = *material};
}

/* Returns false if the search must end, because there are too many candidates or after a
 * failure. */
static bool accepts_hit(contact_finder *f, const ct_hit_position *position) {
  if (position->candidates > candidates_max(f->parts)) f->status = CT_PAIR_LIMIT;
  return f->status == CT_OK;
}

static bool add_volume_contact(void *context, const ct_volume_hit *hit) {
  contact_finder *f = context;
  ct_mechanics_parts *parts = f->parts;
  if (!accepts_hit(f, &hit->position)) return false;
  if (!hit->contact || hit->sparsified != CT_KEPT || !is_any_dynamic(parts, hit->a, hit->b))
    return true;
  const ct_contact whose = {
      .a = hit->a, .b = hit->b, .collider_a = hit->collider_a, .collider_b = hit->collider_b};
  const ct_pair_material material = find_pair_material(parts, &whose);
  f->status = reserve_scene_contact(parts);
  if (f->status != CT_OK) return false;
  parts->contacts[parts->count++] = make_volume_contact(hit, &material);
  return true;
}

static bool add_hit_contacts(void *context, const ct_contacts_hit *hit) {
  contact_finder *f = context;
  ct_mechanics_parts *parts = f->parts;
  if (!accepts_hit(f, &hit->position)) return false;
  if (hit->point_count == 0 || !is_any_dynamic(parts, hit->a, hit->b)) return true;
  side a = transform_collider(parts, hit->a, hit->collider_a),
       b = transform_collider(parts, hit->b, hit->collider_b);
  const ct_contact whose = {
      .a = hit->a, .b = hit->b, .collider_a = hit->collider_a, .collider_b = hit->collider_b};
  const ct_pair_material material = find_pair_material(parts, &whose);
  for (size_t i = 0; i < hit->point_count; i++) {
    const ct_contact_point *p = &hit->points[i];
    f->status = reserve_scene_contact(parts);
    if (f->status != CT_OK) return false;
    parts->contacts[parts->count++] = (ct_contact){
        .a = hit->a,
        .b = hit->b,
        .collider_a = hit->collider_a,
        .collider_b = hit->collider_b,
        .feature_a = p->a,
        .feature_b = p->b,
        .patch = p->patch,
        .number = p->number,
        .position = ct_lerp(p->point_a, p->point_b, 0.5),
        .normal = p->normal,
        .point_a = p->point_a,
        .point_b = p->point_b,
        .distance = p->distance,
        .surface_a = ct_surface_at(a.shape, &a.frame, p->a, p->point_a, p->normal),
        .surface_b = ct_surface_at(b.shape, &b.frame, p->b, p->point_b, ct_neg(p->normal)),
        .material = material};
  }
  return true;
}

/* Returns one byte for each row, 1 if its body is dynamic: only pairs with a dynamic body are then
 * tested. NULL: out of memory. */
static uint8_t *make_dynamic_mask(const ct_mechanics_parts *parts) {
  uint8_t *mask = malloc((size_t)parts->row_count + 1);
  for (uint32_t row = 0; mask && row < parts->row_count; row++)
    mask[row] = parts->place[row] != CT_NO_ROW;
  return mask;
}

/* Prepares and runs the query for contact manifolds. */
static ct_status query_manifolds(contact_finder *f, const ct_query_options *options,
                                 ct_workspace *workspace, ct_range_statistics *statistics) {
  const ct_mechanics_options *o = f->parts->options;
  const ct_query_contacts_options contacts = {o->contact_tolerance, o->detail};
  ct_query *query;
  ct_status status = ct_query_prepare_contacts(f->parts->scene, options, &contacts, &query);
  if (status != CT_OK) return status;
  const ct_query_range range = {.end = ct_query_items(query), .after = CT_NO_ROW};
  status = ct_query_run_contacts(query, &range, workspace, add_hit_contacts, f, statistics);
  ct_query_destroy(query);
  return status;
}

/* Prepares and runs the query for volumetric contacts. */
static ct_status query_volumes(contact_finder *f, ct_query_options *options,
                               ct_workspace *workspace, ct_range_statistics *statistics) {
  const ct_mechanics_options *o = f->parts->options;
  const ct_query_volume_options volume = {o->volumes->volume, o->contact_tolerance,
                                          o->volumes->sparsify};
  bool solfec = volume.volume.method == CT_VOLUME_SOLFEC;
  ct_query *query;
  options->clearance = solfec ? volume.volume.epsilon : 0.0;
  ct_status status = ct_query_prepare_volumes(f->parts->scene, options, &volume, &query);
  if (status != CT_OK) return status;
  const ct_query_range range = {.end = ct_query_items(query), .after = CT_NO_ROW};
  status = ct_query_run_volumes(query, &range, workspace, add_volume_contact, f, statistics);
  ct_query_destroy(query);
  return status;
}

static ct_status query_contacts(ct_mechanics_parts *parts, ct_query_options *options,
                                ct_workspace *workspace) {
  contact_finder f = {parts, CT_OK};
  ct_range_statistics statistics = {0};
  ct_status status = parts->options->volumes ? query_volumes(&f, options, workspace, &statistics)
                                             : query_manifolds(&f, options, workspace, &statistics);
  if (status == CT_OK) status = f.status;
  return status == CT_OK && statistics.candidates > candidates_max(parts) ? CT_PAIR_LIMIT : status;
}

ct_status ct_mechanics_find(ct_mechanics_parts *parts, ct_workspace *workspace) {
  const ct_mechanics_options *o = parts->options;
  if (o->only_given) return add_given_contacts(parts);
  ct_query_options options = {.clearance = o->contact_tolerance,
                              .where_a = o->where_a,
                              .where_b = o->where_b,
                              .pairs = o->pairs,
                              .pair_count = o->pair_count,
                              .explicit_pairs = o->explicit_pairs,
                              .broadphase = o->broadphase,
                              .overrides = o->overrides,
                              .override_count = o->override_count,
                              .cancel = o->cancel};
  if (o->explicit_pairs || o->where_a || o->where_b)
    return query_contacts(parts, &options, workspace);
  uint8_t *mask = make_dynamic_mask(parts);
  if (!mask) return CT_OUT_OF_MEMORY;
  options.where_a = mask;
  ct_status status = query_contacts(parts, &options, workspace);
  free(mask);
  return status;
}
