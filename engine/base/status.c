/* Text of each status. */
#include <contact/base.h>

const char *ct_status_text(ct_status status) {
  static const char *const texts[] = {
#define STATUS_TEXT(name, text) [CT_##name] = text,
      CT_STATUS_MAP(STATUS_TEXT)
#undef STATUS_TEXT
  };
  if ((unsigned)status >= sizeof texts / sizeof texts[0]) return "unknown status";
  return texts[status];
}
