/* Volume and moment of inertia of the convex hull of some points: an octahedron of steel. */
#include <contact/contact.h>

#include <stdio.h>

int main(void) {
  const double a = 0.1, density = 7850.0; /* m from the centre to a vertex, kg/m^3 */
  const ct_vec3 points[] = {{a, 0, 0}, {-a, 0, 0}, {0, a, 0},         {0, -a, 0},
                            {0, 0, a}, {0, 0, -a}, {0.01, 0.02, 0.03}};
  ct_hull *hull = NULL;
  if (ct_hull_from_points(points, sizeof points / sizeof points[0], NULL, &hull, NULL) != CT_OK)
    return 1;
  const ct_shape shape = {.kind = CT_KIND_CONVEX, .hull = hull};
  const ct_hull_view *view = ct_hull_get(hull);
  ct_mass_properties mass;
  bool right =
      ct_shape_mass(&shape, density, &mass) && view->vertex_count == 6 && view->face_count == 8;

  const double volume = 4.0 / 3.0 * a * a * a, inertia = density * volume * a * a / 5.0;
  printf("%u vertices, %u faces\n", view->vertex_count, view->face_count);
  printf("volume  %.12f m^3,    closed form 4/3 a^3   = %.12f\n", mass.volume, volume);
  printf("inertia %.12f kg m^2, closed form m a^2 / 5 = %.12f\n", mass.inertia.rx.x, inertia);
  right = right && fabs(mass.volume - volume) < 1e-15 && fabs(mass.inertia.rx.x - inertia) < 1e-14;
  ct_hull_release(hull);
  return !right;
}
