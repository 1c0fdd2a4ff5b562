/* Reads and writes poses. Sine and cosine of rpy are computed here in double arithmetic: the libm
 * implementations differ in the last bit, and replies must be identical on all platforms. */
#include "json/pose_json.h"

#include <assert.h>
#include <contact/limits.h>

enum { POSITION, ROTATION, ROTATION_WXYZ, RPY, MATRIX };

/* Bound of | |q|^2 - 1 | within which a quaternion counts as unit up to round-off and keeps its
 * bits. Normalisation yields at most 16 unit round-offs. */
#define UNIT_SLACK (32.0 * CT_UNIT_ROUNDOFF)

/* ---- sine and cosine ------------------------------------------------------------------------ */

/* pi/2 as a sum of three parts (Cody, Waite 1980). The first two have 33 bits, so that their
 * products with a quadrant number below 2^20 are exact. */
#define HALF_PI_1 0x1.921fb544p+0
#define HALF_PI_2 0x1.0b4611a6p-34
#define HALF_PI_3 0x1.3198a2e037073p-69
#define TWO_BY_PI 0x1.45f306dc9c883p-1

/* Sum the Taylor series of sine or cosine for |r| <= pi/4; the truncation error is below 1e-19. */
static double sum_sine_series(double r) {
  static const double terms[] = {
      1.0 / 355687428096000.0, -1.0 / 1307674368000.0, 1.0 / 6227020800.0, -1.0 / 39916800.0,
      1.0 / 362880.0,          -1.0 / 5040.0,          1.0 / 120.0,        -1.0 / 6.0};
  double square = r * r, sum = terms[0];
  for (size_t i = 1; i < sizeof terms / sizeof terms[0]; i++) sum = sum * square + terms[i];
  return r + r * square * sum;
}

static double sum_cosine_series(double r) {
  static const double terms[] = {
      1.0 / 20922789888000.0, -1.0 / 87178291200.0, 1.0 / 479001600.0, -1.0 / 3628800.0,
      1.0 / 40320.0,          -1.0 / 720.0,         1.0 / 24.0};
  double square = r * r, sum = terms[0], half = 0.5 * square;
  for (size_t i = 1; i < sizeof terms / sizeof terms[0]; i++) sum = sum * square + terms[i];
  return (1.0 - half) + square * square * sum;
}

/* Computes sine and cosine for |angle| <= API_ANGLE_MAX by Cody-Waite reduction to |r| <= pi/4. */
static void compute_sine_cosine(double angle, double *sine, double *cosine) {
  assert(fabs(angle) <= API_ANGLE_MAX);
  double quadrant = floor(angle * TWO_BY_PI + 0.5);
  double r = ((angle - quadrant * HALF_PI_1) - quadrant * HALF_PI_2) - quadrant * HALF_PI_3;
  double s = sum_sine_series(r), c = sum_cosine_series(r);
  switch ((long)quadrant & 3) {
  case 0: *sine = s, *cosine = c; break;
  case 1: *sine = c, *cosine = -s; break;
  case 2: *sine = -s, *cosine = -c; break;
  default: *sine = -c, *cosine = s; break;
  }
}

/* ---- notations of a rotation ---------------------------------------------------------------- */

static double length_squared(ct_quat q) { return q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w; }

/* Normalises q, unless it is unit up to round-off; zero components become +0. */
static ct_quat normalise_quaternion(ct_quat q) {
  double n2 = length_squared(q);
  if (fabs(n2 - 1.0) <= UNIT_SLACK) return (ct_quat){q.x + 0.0, q.y + 0.0, q.z + 0.0, q.w + 0.0};
  double n = sqrt(n2);
  return (ct_quat){q.x / n + 0.0, q.y / n + 0.0, q.z / n + 0.0, q.w / n + 0.0};
}

static bool check_quaternion(api_reader *reader, const api_field *field, ct_quat q, ct_quat *out) {
  double length = sqrt(length_squared(q));
  if (!(fabs(length - 1.0) <= API_ROTATION_TOLERANCE)) {
    api_fault_limit(
        api_fault_at(reader->faults, API_PROBLEM_BAD_ROTATION, &field->path,
                     length == 0.0
                         ? "A zero quaternion is not a rotation: use [0, 0, 0, 1] for no rotation."
                         : "The quaternion's length must be 1 to within 0.001: normalise it."),
        1.0, length);
    return false;
  }
  *out = normalise_quaternion(q);
  return true;
}

bool api_read_rotation(api_reader *reader, const api_field *field, ct_quat *out) {
  double v[4];
  if (!field->value) return true;
  if (!api_read_numbers(reader, field, CT_COORDINATE_MAX, 4, v)) return false;
  return check_quaternion(reader, field, (ct_quat){v[0], v[1], v[2], v[3]}, out);
}

static bool read_wxyz(api_reader *reader, const api_field *field, ct_quat *out) {
  double v[4];
  if (!api_read_numbers(reader, field, CT_COORDINATE_MAX, 4, v)) return false;
  return check_quaternion(reader, field, (ct_quat){v[1], v[2], v[3], v[0]}, out);
}

static bool read_rpy(api_reader *reader, const api_field *field, ct_quat *out) {
  double angles[3], s[3], c[3];
  if (!api_read_numbers(reader, field, API_ANGLE_MAX, 3, angles)) return false;
  for (int i = 0; i < 3; i++) compute_sine_cosine(0.5 * angles[i], &s[i], &c[i]);
  ct_quat x = {s[0], 0.0, 0.0, c[0]}, y = {0.0, s[1], 0.0, c[1]}, z = {0.0, 0.0, s[2], c[2]};
  *out = normalise_quaternion(ct_quat_mul(z, ct_quat_mul(y, x)));
  return true;
}

/* Returns the quaternion of a rotation matrix m[row][column] (Shepperd 1978). The computation
 * starts from the quaternion's largest component, which is at least 1/2. */
static ct_quat convert_matrix(const double m[9]) {
  /* Find the largest of the trace (index 3) and the diagonal (0 to 2), which selects that
   * component. */
  double trace = m[0] + m[4] + m[8], largest = trace;
  int which = 3;
  for (int i = 0; i < 3; i++) {
    if (m[4 * i] <= largest) continue;
    largest = m[4 * i];
    which = i;
  }
  if (which == 3)
    return normalise_quaternion((ct_quat){m[7] - m[5], m[2] - m[6], m[3] - m[1], 1.0 + trace});
  double v[3];
  int i = which, j = (i + 1) % 3, k = (i + 2) % 3;
  v[i] = 1.0 + m[4 * i] - m[4 * j] - m[4 * k];
  v[j] = m[3 * j + i] + m[3 * i + j];
  v[k] = m[3 * k + i] + m[3 * i + k];
  return normalise_quaternion((ct_quat){v[0], v[1], v[2], m[3 * k + j] - m[3 * j + k]});
}

/* Reads a matrix: nine numbers row by row, or three rows of three numbers. */
static bool read_matrix_numbers(api_reader *reader, const api_field *field, double m[9]) {
  if (!json_is_array(field->value) || json_array_size(field->value) != 3)
    return api_read_numbers(reader, field, CT_COORDINATE_MAX, 9, m);
  bool good = true;
  for (size_t i = 0; i < 3; i++) {
    api_field row = api_field_element(field, i);
    good = api_read_numbers(reader, &row, CT_COORDINATE_MAX, 3, m + 3 * i) && good;
  }
  return good;
}

static bool read_matrix(api_reader *reader, const api_field *field, ct_quat *out) {
  double m[9];
  if (!read_matrix_numbers(reader, field, m)) return false;
  ct_vec3 rows[3] = {{m[0], m[1], m[2]}, {m[3], m[4], m[5]}, {m[6], m[7], m[8]}};
  double worst = 0.0;
  for (int i = 0; i < 3; i++)
    for (int j = i; j < 3; j++)
      worst = ct_max2(worst, fabs(ct_dot(rows[i], rows[j]) - (i == j ? 1.0 : 0.0)));
  if (!(worst <= API_ROTATION_TOLERANCE)) {
    api_fault *fault = api_fault_at(reader->faults, API_PROBLEM_BAD_ROTATION, &field->path,
                                    "The rows must be orthonormal: unit vectors at right angles, "
                                    "with products that deviate by at most 0.001.");
    api_fault_limit(fault, API_ROTATION_TOLERANCE, worst);
    return false;
  }
  if (ct_dot(ct_cross(rows[0], rows[1]), rows[2]) <= 0.0) {
    api_fault_at(reader->faults, API_PROBLEM_BAD_ROTATION, &field->path,
                 "The matrix is a reflection, not a rotation: its determinant must be +1, not -1.");
    return false;
  }
  *out = convert_matrix(m);
  return true;
}

/* ---- poses ---------------------------------------------------------------------------------- */

bool api_read_given_pose(api_reader *reader, const api_field *object,
                         const api_field members[API_POSE_MEMBER_COUNT], ct_pose *out) {
  ct_pose pose = ct_pose_identity();
  size_t raised = reader->faults->count;
  api_read_position(reader, &members[POSITION], &pose.position);
  size_t form =
      ROTATION + api_read_one_of(reader, object, members + ROTATION,
                                 API_POSE_MEMBER_COUNT - ROTATION, false, API_PROBLEM_BAD_ROTATION);
  switch (form) {
  case ROTATION: api_read_rotation(reader, &members[ROTATION], &pose.rotation); break;
  case ROTATION_WXYZ: read_wxyz(reader, &members[ROTATION_WXYZ], &pose.rotation); break;
  case RPY: read_rpy(reader, &members[RPY], &pose.rotation); break;
  case MATRIX: read_matrix(reader, &members[MATRIX], &pose.rotation); break;
  default: break;
  }
  if (reader->faults->count != raised) return false;
  *out = pose;
  return true;
}

void api_put_pose_members(api_buffer *buffer, const ct_pose *pose, bool always) {
  ct_vec3 p = pose->position;
  ct_quat q = pose->rotation;
  if (always || p.x != 0.0 || p.y != 0.0 || p.z != 0.0) api_put_member_vec3(buffer, "position", p);
  if (always || q.x != 0.0 || q.y != 0.0 || q.z != 0.0 || q.w != 1.0)
    api_put_member_quat(buffer, "rotation", q);
}
