/* Collects the warnings of a request and writes them as JSON. */
#include "common/warning.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>

void api_warn(api_warnings *warnings, const char *type, const api_pointer *at, uint64_t count,
              const char *detail, ...) {
  assert(type && detail);
  if (!warnings || warnings->count++ >= API_WARNINGS_KEPT) return;
  api_warning *warning = &warnings->items[warnings->count - 1];
  warning->type = type;
  warning->count = count;
  warning->has_pointer = at != NULL;
  if (at) api_pointer_write(at, warning->pointer, sizeof warning->pointer);
  va_list arguments;
  va_start(arguments, detail);
  vsnprintf(warning->detail, sizeof warning->detail, detail, arguments);
  va_end(arguments);
}

void api_put_warnings(api_buffer *buffer, const api_warnings *warnings, bool always) {
  if (warnings->count == 0 && !always) return;
  api_put_key(buffer, "warnings");
  api_put_byte(buffer, '[');
  for (size_t i = 0; i < warnings->count && i < API_WARNINGS_KEPT; i++) {
    const api_warning *warning = &warnings->items[i];
    api_put_item(buffer);
    api_put_byte(buffer, '{');
    if (warning->has_pointer) api_put_member_string(buffer, "pointer", api_text(warning->pointer));
    api_put_member_string(buffer, "type", api_text(warning->type));
    api_put_member_string(buffer, "detail", api_text(warning->detail));
    if (warning->count) api_put_member_unsigned(buffer, "count", warning->count);
    api_put_byte(buffer, '}');
  }
  api_put_byte(buffer, ']');
  if (warnings->count > API_WARNINGS_KEPT)
    api_put_member_unsigned(buffer, "warningsOmitted", warnings->count - API_WARNINGS_KEPT);
}
