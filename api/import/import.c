/* Common parts of the importers: units, points and faults. */
#include "import/import.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

const api_unit *api_unit_of(ct_text word) {
  static const api_unit units[] = {{"m", 1, 1},        {"mm", 1, 1000},    {"cm", 1, 100},
                                   {"um", 1, 1000000}, {"in", 254, 10000}, {"ft", 3048, 10000}};
  for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
    if (api_text_equal(word, api_text(units[i].word))) return &units[i];
  return NULL;
}

bool api_import_refuse(api_import *import, api_problem_id id, size_t line, const char *detail,
                       ...) {
  char text[200];
  va_list arguments;
  va_start(arguments, detail);
  vsnprintf(text, sizeof text, detail, arguments);
  va_end(arguments);
  api_fault_plain(import->reader->faults, id, "Line %zu: %s", line, text);
  return false;
}

bool api_import_point(api_import *import, const double numbers[3], const char *place, size_t at,
                      ct_vec3 *out) {
  assert(import->unit && import->unit->times > 0 && import->unit->over > 0);
  api_faults *faults = import->reader->faults;
  double m[3];
  for (int i = 0; i < 3; i++) {
    m[i] = numbers[i] * import->unit->times / import->unit->over + 0.0;
    if (!isfinite(numbers[i])) {
      api_fault_plain(faults, API_PROBLEM_BAD_VALUE,
                      "%s %zu: the %c coordinate is not a finite number.", place, at, "xyz"[i]);
      return false;
    }
    if (fabs(m[i]) <= CT_COORDINATE_MAX) continue;
    api_fault *fault =
        api_fault_plain(faults, API_PROBLEM_OUT_OF_RANGE,
                        "%s %zu: the %c coordinate, %.17g %s, is beyond 1e9 m: check the unit.",
                        place, at, "xyz"[i], numbers[i], import -> unit -> word);
    api_fault_limit(fault, CT_COORDINATE_MAX, isfinite(m[i]) ? m[i] : NAN);
    return false;
  }
  *out = ct_vec(m[0], m[1], m[2]);
  return true;
}
