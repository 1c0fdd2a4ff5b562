/* When does a ball that is dropped from 2 m hit the floor? */
#include <contact/contact.h>

#include <stdio.h>

/* A body of one shape; NULL: it could not be made. */
static const ct_body *create_body(ct_text id, ct_shape shape) {
  const ct_collider collider = {.shape = shape};
  ct_body_options options = ct_body_options_default();
  options.id = id;
  options.colliders = &collider;
  options.collider_count = 1;
  const ct_body *body = NULL;
  return ct_body_create(&options, &body) == CT_OK ? body : NULL;
}

int main(void) {
  const double radius = 0.1, height = 2.0, g = 9.81;
  const ct_body *floor = create_body((ct_text){"floor", 5}, (ct_shape){.kind = CT_KIND_PLANE});
  const ct_body *ball =
      create_body((ct_text){"ball", 4}, (ct_shape){.kind = CT_KIND_SPHERE, .sphere = {radius}});
  ct_path_options rest = ct_path_options_default(), fall = ct_path_options_default();
  rest.duration = fall.duration = 1.0;
  fall.kind = CT_PATH_BALLISTIC;
  fall.start.position.z = height + radius;
  fall.acceleration.z = -g;
  ct_path *floor_path = NULL, *ball_path = NULL;
  ct_workspace *workspace = ct_workspace_create();
  ct_toi_options options = ct_toi_options_default();
  options.end = 1.0;
  ct_toi impact = {0};
  bool right = floor && ball && workspace && ct_path_create(&rest, &floor_path) == CT_OK &&
               ct_path_create(&fall, &ball_path) == CT_OK &&
               ct_body_toi((ct_moving_body){floor, floor_path}, (ct_moving_body){ball, ball_path},
                           &options, workspace, &impact) == CT_OK;

  const double expected = sqrt(2.0 * height / g);
  printf("hits at %.12f s, certainly in [%.12f, %.12f], at %.9f m/s\n", impact.time, impact.lower,
         impact.upper, impact.normal_velocity);
  printf("closed form: sqrt(2 h / g) = %.12f s, -sqrt(2 g h) = %.9f m/s\n", expected,
         -sqrt(2.0 * g * height));
  right = right && impact.event == CT_TOI_CONTACT && fabs(impact.time - expected) < 1e-12 &&
          fabs(impact.normal_velocity + sqrt(2.0 * g * height)) < 1e-9;
  ct_path_destroy(floor_path);
  ct_path_destroy(ball_path);
  ct_body_release(floor);
  ct_body_release(ball);
  ct_workspace_destroy(workspace);
  return !right;
}
