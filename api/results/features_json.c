/* Contact features in JSON. The values are defined in contact/features.h. */
#include "results/features_json.h"

#include <assert.h>

#include "common/problem.h"

static const char *const mode_words[] = {[CT_FEATURES_BACKWARD] = "backward",
                                         [CT_FEATURES_FORWARD] = "forward",
                                         [CT_FEATURES_CLOSEST] = "closest",
                                         [CT_FEATURES_BOTH] = "both"};

bool api_read_features(api_reader *reader, const api_field *mode, const api_field *edge_depth,
                       ct_features_options *out) {
  size_t which = CT_FEATURES_BACKWARD;
  out->edge_depth = CT_FEATURES_ANY_DEPTH;
  bool good =
      api_read_word(reader, mode, mode_words, sizeof mode_words / sizeof mode_words[0], &which);
  out->mode = (ct_features_mode)which;
  return api_read_size(reader, edge_depth, &out->edge_depth) && good;
}

bool api_features_given(api_reader *reader, const api_pointer *path, const ct_body *body) {
  for (size_t i = 0; i < ct_body_collider_count(body); i++) {
    const ct_collider collider = ct_body_collider(body, i);
    if (ct_features_are_supported(&collider.shape)) return true;
  }
  api_fault_at(reader->faults, API_PROBLEM_NO_TRIANGLES, path,
               "Features are triangles of meshes: the body needs a collider that is a mesh, a "
               "tetmesh, a hexmesh or an elementmesh.");
  return false;
}

static bool is_inflated(const ct_body *body) {
  for (size_t i = 0; body && i < ct_body_collider_count(body); i++) {
    const ct_collider collider = ct_body_collider(body, i);
    if (ct_features_are_supported(&collider.shape) &&
        (collider.shape.margin > 0.0 || collider.shape.rounding > 0.0))
      return true;
  }
  return false;
}

const char *api_features_warning(const ct_scene *scene, const ct_query_options *options) {
  static const char inflated[] =
      "Features are those of the triangles as given: margin and rounding of meshes do not count.";
  if (options->explicit_pairs) {
    for (size_t i = 0; i < options->pair_count; i++)
      if (is_inflated(ct_scene_body(scene, options->pairs[i].a)) ||
          is_inflated(ct_scene_body(scene, options->pairs[i].b)))
        return inflated;
    return NULL;
  }
  for (uint32_t row = 0; row < ct_scene_rows(scene); row++) {
    bool selected =
        !options->where_a || options->where_a[row] || !options->where_b || options->where_b[row];
    if (selected && is_inflated(ct_scene_body(scene, row))) return inflated;
  }
  return NULL;
}

static void put_point(api_buffer *buffer, const ct_pair_feature_point *p, char side) {
  const char *names[] = {"pointA", "faceA", "barycentricA", "normalA"};
  const char *names_b[] = {"pointB", "faceB", "barycentricB", "normalB"};
  const char *const *name = side == 'b' ? names_b : names;
  api_put_member_vec3(buffer, name[0], p->point);
  api_put_member_unsigned(buffer, name[1], p->triangle);
  api_put_member_vec3(buffer, name[2],
                      ct_vec(p->barycentric[0], p->barycentric[1], p->barycentric[2]));
  api_put_member_vec3(buffer, name[3], p->normal);
}

static void put_edge(api_buffer *buffer, const char *name, const uint32_t edge[2]) {
  api_put_key(buffer, name);
  api_put_byte(buffer, '[');
  api_put_unsigned(buffer, edge[0]);
  api_put_byte(buffer, ',');
  api_put_unsigned(buffer, edge[1]);
  api_put_byte(buffer, ']');
}

static void put_kind(api_buffer *buffer, const ct_pair_feature *f) {
  static const char *const words[] = {[CT_PAIR_FEATURE_VERTEX_A] = "vertexA",
                                      [CT_PAIR_FEATURE_VERTEX_B] = "vertexB",
                                      [CT_PAIR_FEATURE_EDGE_EDGE] = "edgeEdge"};
  assert((size_t)f->kind < sizeof words / sizeof words[0]);
  api_put_member_string(buffer, "kind", api_text(words[f->kind]));
  if (f->kind == CT_PAIR_FEATURE_EDGE_EDGE) {
    put_edge(buffer, "edgeA", f->edge_a);
    put_edge(buffer, "edgeB", f->edge_b);
    return;
  }
  api_put_member_unsigned(buffer, "vertex", f->vertex);
  api_put_member_string(buffer, "mode", api_text(mode_words[f->mode]));
}

static void put_flags(api_buffer *buffer, uint32_t flags) {
  static const struct {
    uint32_t flag;
    const char *word;
  } all[] = {{CT_PAIR_FEATURE_ON_SURFACE, "onSurface"},
             {CT_PAIR_FEATURE_FALLBACK, "fallback"},
             {CT_PAIR_FEATURE_FACE_NORMAL_A, "normalFallbackA"},
             {CT_PAIR_FEATURE_FACE_NORMAL_B, "normalFallbackB"},
             {CT_PAIR_FEATURE_NORMAL_ARBITRARY, "normalArbitrary"},
             {CT_PAIR_FEATURE_DOUBLED, "doubled"}};
  if (!flags) return;
  api_put_key(buffer, "flags");
  api_put_byte(buffer, '[');
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
    if (!(flags & all[i].flag)) continue;
    api_put_item(buffer);
    api_put_string(buffer, api_text(all[i].word));
  }
  api_put_byte(buffer, ']');
}

void api_put_feature(api_buffer *buffer, const ct_pair_feature *feature,
                     ct_features_status status) {
  if (feature) {
    put_kind(buffer, feature);
    put_point(buffer, &feature->a, 'a');
    put_point(buffer, &feature->b, 'b');
    api_put_member_number(buffer, "distance", feature->distance);
    api_put_member_vec3(buffer, "normal", feature->normal);
  }
  api_put_member_string(buffer, "status",
                        api_text(status == CT_FEATURES_OK ? "ok" : "unsupported"));
  if (feature) put_flags(buffer, feature->flags);
  else api_put_raw(buffer, ",\"flags\":[\"openMesh\"]");
}
