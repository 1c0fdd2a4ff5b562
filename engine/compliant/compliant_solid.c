/* What the elastic law needs of a scene's colliders. */
#include <contact/compliant.h>

bool ct_scene_elastic_solid(const ct_scene *scene, uint32_t row, uint32_t collider,
                            ct_elastic_solid *out) {
  ct_collider c = ct_body_collider(ct_scene_body(scene, row), collider);
  ct_material material = ct_scene_material(scene, c.material);
  if (!(material.youngs_modulus > 0.0 && material.poisson_ratio > 0.0)) return false;
  if (!out) return true;
  *out = (ct_elastic_solid){.youngs_modulus = material.youngs_modulus,
                            .poisson_ratio = material.poisson_ratio};
  out->radius = ct_elastic_radius(&c.shape, &out->flat);
  return true;
}
