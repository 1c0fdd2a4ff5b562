/* Poses: four notations of a rotation against long double arithmetic, and invalid rotations. */
#include "tests/support/document.h"
#include "json/pose_json.h"

/* Reads the pose members of a document. False after faults. */
static bool read_pose(document *d, const char *text, ct_pose *out) {
  api_field m[API_POSE_MEMBER_COUNT] = {API_POSE_MEMBERS};
  document_init(d);
  if (!document_parse(d, text, strlen(text))) return false;
  if (!api_read_object(&d->reader, &d->root, m, API_POSE_MEMBER_COUNT)) return false;
  return api_read_pose(&d->reader, &d->root, m, out);
}

static void nothing_given_is_the_identity(void) {
  document d;
  ct_pose pose;
  CHECK(read_pose(&d, "{}", &pose));
  ct_pose identity = ct_pose_identity();
  CHECK(memcmp(&pose, &identity, sizeof pose) == 0);
  document_free(&d);
}

static void a_unit_quaternion_keeps_its_bits(void) {
  check_random r = {11};
  for (int i = 0; i < 20000; i++) {
    double v[4], n2 = 0.0;
    for (int j = 0; j < 4; j++) {
      v[j] = check_uniform(&r, -1, 1) * (check_next(&r) % 5 ? 1.0 : 1e-9);
      n2 += v[j] * v[j];
    }
    if (n2 < 1e-3) continue;
    for (int j = 0; j < 4; j++) v[j] /= sqrt(n2);
    char text[200];
    snprintf(text, sizeof text, "{\"rotation\":[%.17g,%.17g,%.17g,%.17g]}", v[0], v[1], v[2], v[3]);
    document d;
    ct_pose pose;
    CHECK(read_pose(&d, text, &pose));
    if (memcmp(&pose.rotation, v, sizeof v) != 0) CHECK_FAIL("%s changed", text);
    document_free(&d);
  }
}

/* Lengths off by up to 1e-3 are normalised to 1 without changing the direction; the written text
 * reads back to the same bits. */
static void a_quaternion_nearly_unit_is_normalised_once(void) {
  check_random r = {12};
  for (int i = 0; i < 20000; i++) {
    double v[4], n2 = 0.0, factor = 1.0 + check_uniform(&r, -0.999e-3, 0.999e-3);
    for (int j = 0; j < 4; j++) v[j] = check_uniform(&r, -1, 1), n2 += v[j] * v[j];
    if (n2 < 1e-3) continue;
    for (int j = 0; j < 4; j++) v[j] *= factor / sqrt(n2);
    char text[200];
    snprintf(text, sizeof text, "{\"rotation\":[%.17g,%.17g,%.17g,%.17g]}", v[0], v[1], v[2], v[3]);
    document d, e;
    ct_pose pose, again;
    CHECK(read_pose(&d, text, &pose));
    ct_quat q = pose.rotation;
    CHECK_NEAR(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w, 1.0, 16 * CT_UNIT_ROUNDOFF);
    CHECK_NEAR(q.x * factor, v[0], 1e-15);
    CHECK_NEAR(q.w * factor, v[3], 1e-15);
    document_free(&d);
    api_buffer out = {0};
    api_put_byte(&out, '{');
    api_put_pose_members(&out, &pose, true);
    api_put_raw(&out, "}");
    api_put_byte(&out, 0);
    CHECK(read_pose(&e, out.bytes, &again));
    CHECK(memcmp(&pose, &again, sizeof pose) == 0);
    document_free(&e);
    api_buffer_free(&out);
  }
}

static void the_two_orders_of_a_quaternion_agree(void) {
  document d, e;
  ct_pose a, b;
  CHECK(read_pose(&d, "{\"rotation\":[0.1,0.2,0.3,0.9273618495495703]}", &a));
  CHECK(read_pose(&e, "{\"rotationWxyz\":[0.9273618495495703,0.1,0.2,0.3]}", &b));
  CHECK(memcmp(&a, &b, sizeof a) == 0);
  document_free(&d);
  document_free(&e);
}

/* The quaternion holds sine and cosine of half the angle. */
static void sine_and_cosine_are_right_to_the_last_bits(void) {
  check_random r = {13};
  double worst = 0.0;
  for (int i = 0; i < 40000; i++) {
    double range = pow(10.0, check_uniform(&r, -6, 6)), angle = check_uniform(&r, -range, range);
    if (i % 4 == 0) angle = (double)((long)(check_next(&r) % 600000) - 300000) * 1.5707963267948966;
    char text[100];
    snprintf(text, sizeof text, "{\"rpy\":[%.17g,0,0]}", angle);
    document d;
    ct_pose pose;
    CHECK(read_pose(&d, text, &pose));
    worst = fmax(worst, (double)fabsl(pose.rotation.x - sinl((long double)angle / 2)));
    worst = fmax(worst, (double)fabsl(pose.rotation.w - cosl((long double)angle / 2)));
    CHECK(pose.rotation.y == 0 && pose.rotation.z == 0);
    document_free(&d);
  }
  CHECK_NEAR(worst, 0, 2.5e-16);
}

typedef struct matrix {
  long double m[3][3];
} matrix;

static matrix times(const matrix *a, const matrix *b) {
  matrix c = {0};
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      for (int k = 0; k < 3; k++) c.m[i][j] += a->m[i][k] * b->m[k][j];
  return c;
}

/* Rotation about an axis (0 x, 1 y, 2 z). */
static matrix turn(int axis, long double angle) {
  matrix c = {0};
  int i = (axis + 1) % 3, j = (axis + 2) % 3;
  c.m[axis][axis] = 1;
  c.m[i][i] = c.m[j][j] = cosl(angle);
  c.m[j][i] = sinl(angle);
  c.m[i][j] = -sinl(angle);
  return c;
}

static void check_matrix(ct_quat q, const matrix *expected, double tolerance) {
  ct_mat3 m = ct_quat_matrix(q);
  const ct_vec3 rows[3] = {m.rx, m.ry, m.rz};
  for (int i = 0; i < 3; i++) {
    CHECK_NEAR(rows[i].x, (double)expected->m[i][0], tolerance);
    CHECK_NEAR(rows[i].y, (double)expected->m[i][1], tolerance);
    CHECK_NEAR(rows[i].z, (double)expected->m[i][2], tolerance);
  }
}

static void rpy_turns_about_fixed_x_then_y_then_z(void) {
  check_random r = {14};
  for (int i = 0; i < 5000; i++) {
    double a[3];
    for (int j = 0; j < 3; j++)
      a[j] = i % 2 ? check_uniform(&r, -7, 7)
                   : 0.78539816339744830962 * (double)((int)(check_next(&r) % 17) - 8);
    char text[120];
    snprintf(text, sizeof text, "{\"rpy\":[%.17g,%.17g,%.17g]}", a[0], a[1], a[2]);
    matrix x = turn(0, a[0]), y = turn(1, a[1]), z = turn(2, a[2]), yx = times(&y, &x),
           zyx = times(&z, &yx);
    document d;
    ct_pose pose;
    CHECK(read_pose(&d, text, &pose));
    check_matrix(pose.rotation, &zyx, 2e-15);
    document_free(&d);
  }
}

static void a_matrix_is_read_by_rows_or_as_nine_numbers(void) {
  check_random r = {15};
  for (int i = 0; i < 5000; i++) {
    /* Every branch: the half turns have their largest component in x, y or z. */
    int axis = (int)(check_next(&r) % 3);
    matrix a = turn(axis, i % 3 ? 3.14159265358979323846L : 0.3L);
    matrix b = turn((axis + 1) % 3, check_uniform(&r, -0.5, 0.5)), m = times(&a, &b);
    char rows[400], nine[400];
#define M(i, j) (double)m.m[i][j]
    snprintf(rows, sizeof rows,
             "{\"matrix\":[[%.17g,%.17g,%.17g],[%.17g,%.17g,%.17g],[%.17g,%.17g,%.17g]]}", M(0, 0),
             M(0, 1), M(0, 2), M(1, 0), M(1, 1), M(1, 2), M(2, 0), M(2, 1), M(2, 2));
    snprintf(nine, sizeof nine,
             "{\"matrix\":[%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g]}", M(0, 0),
             M(0, 1), M(0, 2), M(1, 0), M(1, 1), M(1, 2), M(2, 0), M(2, 1), M(2, 2));
#undef M
    document d, e;
    ct_pose pose, same;
    CHECK(read_pose(&d, rows, &pose));
    CHECK(read_pose(&e, nine, &same));
    CHECK(memcmp(&pose, &same, sizeof pose) == 0);
    check_matrix(pose.rotation, &m, 4e-15);
    document_free(&d);
    document_free(&e);
  }
}

static void what_is_no_rotation_is_refused(void) {
  static const struct {
    const char *text, *problem, *pointer, *words;
  } cases[] = {
      {"{\"rotation\":[0,0,0,0]}", "bad-rotation", "/rotation", "zero quaternion"},
      {"{\"rotation\":[0,0,0,1.0011]}", "bad-rotation", "/rotation", "within 0.001"},
      {"{\"rotation\":[0,0,0,0.9989]}", "bad-rotation", "/rotation", "within 0.001"},
      {"{\"rotation\":[0,0,0,1.0009]}", NULL, NULL, NULL},
      {"{\"rotation\":[0,0,0,0.9991]}", NULL, NULL, NULL},
      {"{\"rotation\":[0,0,0,-1]}", NULL, NULL, NULL},
      {"{\"rotation\":[1e-200,0,0,0]}", "bad-rotation", "/rotation", NULL},
      {"{\"rotation\":[5e-324,0,0,1]}", NULL, NULL, NULL},
      {"{\"rotation\":[1e9,0,0,0]}", "bad-rotation", "/rotation", NULL},
      {"{\"rotation\":[1e308,0,0,0]}", "out-of-range", "/rotation/0", NULL},
      {"{\"rotation\":[1,1,1,1]}", "bad-rotation", "/rotation", NULL},
      {"{\"rotation\":[0,0,1]}", "wrong-type", "/rotation", "4 numbers"},
      {"{\"rotationWxyz\":[0,0,0,0]}", "bad-rotation", "/rotationWxyz", NULL},
      {"{\"rotationWxyz\":[2,0,0,0]}", "bad-rotation", "/rotationWxyz", NULL},
      {"{\"rpy\":[0,0]}", "wrong-type", "/rpy", "3 numbers"},
      {"{\"rpy\":[0,0,1000001]}", "out-of-range", "/rpy/2", "1000000"},
      {"{\"rpy\":[0,0,1000000]}", NULL, NULL, NULL},
      {"{\"rpy\":[\"90deg\",0,0]}", "wrong-type", "/rpy/0", NULL},
      {"{\"matrix\":[[1,0,0],[0,1,0],[0,0,-1]]}", "bad-rotation", "/matrix", "reflection"},
      {"{\"matrix\":[1,0,0,0,1,0,0,0,1.002]}", "bad-rotation", "/matrix", "orthonormal"},
      {"{\"matrix\":[1,0.002,0,0,1,0,0,0,1]}", "bad-rotation", "/matrix", "orthonormal"},
      {"{\"matrix\":[1,0.0005,0,0,1,0,0,0,1]}", NULL, NULL, NULL},
      {"{\"matrix\":[0,0,0,0,0,0,0,0,0]}", "bad-rotation", "/matrix", NULL},
      {"{\"matrix\":[1,0,0,0,1,0,0,0]}", "wrong-type", "/matrix", "9 numbers"},
      {"{\"matrix\":[[1,0,0],[0,1],[0,0,1]]}", "wrong-type", "/matrix/1", "3 numbers"},
      {"{\"matrix\":[[1,0,0],[0,1,0],[0,0,null]]}", "wrong-type", "/matrix/2/2", NULL},
      {"{\"matrix\":\"identity\"}", "wrong-type", "/matrix", NULL},
      {"{\"rotation\":[0,0,0,1],\"rpy\":[0,0,0]}", "conflicting-members", "", "exclude each other"},
      {"{\"rotation\":[0,0,0,1],\"rotationWxyz\":[1,0,0,0]}", "conflicting-members", "",
       "exclude each other"},
      {"{\"position\":[1,2]}", "wrong-type", "/position", NULL},
      {"{\"position\":[1,2,1000000001]}", "out-of-range", "/position/2", NULL},
      {"{\"position\":[-1e9,1e9,5e-324]}", NULL, NULL, NULL},
      {"{\"position\":[1e308,0,0]}", "out-of-range", "/position/0", NULL},
      {"{\"position\":{\"x\":1}}", "wrong-type", "/position", NULL},
      {"{\"rotatoin\":[0,0,0,1]}", "unknown-member", "/rotatoin", "did you mean \"rotation\""},
      {"{\"Position\":[0,0,0]}", "unknown-member", "/Position", "did you mean \"position\""},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    document d;
    ct_pose pose = {{1, 2, 3}, {4, 5, 6, 7}}, before = pose;
    bool good = read_pose(&d, cases[i].text, &pose);
    document_expect(&d, cases[i].text, cases[i].problem, cases[i].pointer, cases[i].words);
    CHECK_INT(good, cases[i].problem == NULL);
    if (!good) CHECK(memcmp(&pose, &before, sizeof pose) == 0);
    document_free(&d);
  }
}

static void quaternions_of_any_scale_are_judged_by_their_length(void) {
  check_random r = {16};
  for (int i = 0; i < 100000; i++) {
    ct_quat q = {check_uniform(&r, -1, 1), check_uniform(&r, -1, 1), check_uniform(&r, -1, 1),
                 check_uniform(&r, -1, 1)};
    double n = sqrt(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w),
           scale = pow(10.0, check_uniform(&r, -300, 300)) / n;
    if (i % 3 == 0) scale = (1.0 + check_uniform(&r, -2e-3, 2e-3)) / n;
    const double v[4] = {q.x * scale, q.y * scale, q.z * scale, q.w * scale};
    if (fabs(fabs(n * scale - 1.0) - 1e-3) < 1e-12) continue;
    json_t *value = json_pack("[ffff]", v[0], v[1], v[2], v[3]);
    document d;
    document_init(&d);
    api_field field = api_field_root(value);
    ct_quat out;
    CHECK_INT(api_read_rotation(&d.reader, &field, &out), fabs(n * scale - 1.0) < 1e-3);
    json_decref(value);
    document_free(&d);
  }
}

static const check_test tests[] = {
    {"nothing_given_is_the_identity", nothing_given_is_the_identity},
    {"a_unit_quaternion_keeps_its_bits", a_unit_quaternion_keeps_its_bits},
    {"a_quaternion_nearly_unit_is_normalised_once", a_quaternion_nearly_unit_is_normalised_once},
    {"the_two_orders_of_a_quaternion_agree", the_two_orders_of_a_quaternion_agree},
    {"sine_and_cosine_are_right_to_the_last_bits", sine_and_cosine_are_right_to_the_last_bits},
    {"rpy_turns_about_fixed_x_then_y_then_z", rpy_turns_about_fixed_x_then_y_then_z},
    {"a_matrix_is_read_by_rows_or_as_nine_numbers", a_matrix_is_read_by_rows_or_as_nine_numbers},
    {"what_is_no_rotation_is_refused", what_is_no_rotation_is_refused},
    {"quaternions_of_any_scale_are_judged_by_their_length",
     quaternions_of_any_scale_are_judged_by_their_length}};

CHECK_MAIN(tests)
