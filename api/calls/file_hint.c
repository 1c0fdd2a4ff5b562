/* Recognises STL and OBJ files sent as JSON, and files sent with the other format's content type.
 */
#include "calls/call.h"

#include <assert.h>
#include <string.h>
#include <strings.h>

/* Binary STL: a header of 84 bytes that ends with the number of triangles, then 50 bytes a
 * triangle. */
#define STL_HEAD 84
#define STL_TRIANGLE 50

static bool is_binary_stl(const char *bytes, size_t length) {
  if (length < STL_HEAD) return false;
  uint64_t count = 0;
  for (size_t i = 4; i-- > 0;) count = count << 8 | (unsigned char)bytes[STL_HEAD - 4 + i];
  return length == STL_HEAD + count * STL_TRIANGLE;
}

/* True if the word begins a line of OBJ files. */
static bool is_obj_word(const char *word, size_t length) {
  static const char *const words[] = {"v", "vn", "vt", "f", "o", "g", "s", "l", "mtllib", "usemtl"};
  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
    if (strlen(words[i]) == length && memcmp(words[i], word, length) == 0) return true;
  return false;
}

const char *api_file_kind(const char *bytes, size_t length) {
  static const char blanks[] = " \t\r\n";
  if (is_binary_stl(bytes, length)) return "STL";
  size_t at = 0;
  while (at < length && strchr(blanks, bytes[at])) at++;
  /* Neither JSON nor STL begins with a comment. */
  if (at < length && bytes[at] == '#') return "OBJ";
  size_t end = at;
  while (end < length && !strchr(blanks, bytes[end])) end++;
  if (end == length) return NULL;
  if (end - at == 5 && strncasecmp(bytes + at, "solid", 5) == 0) return "STL";
  return is_obj_word(bytes + at, end - at) ? "OBJ" : NULL;
}

/* Appends how a file of this format is sent. */
static void append_upload_hint(api_fault *fault, const char *kind) {
  assert(!kind || strcmp(kind, "STL") == 0 || strcmp(kind, "OBJ") == 0);
  if (strstr(fault->detail, " looks like an ")) return;
  if (kind)
    api_text_append(
        fault->detail, sizeof fault->detail,
        " The body looks like an %s file: POST it to /v1/shapes?unit=UNIT (m, mm, cm, um, in, "
        "ft) with Content-Type: model/%s (curl --data-binary @file).",
        kind, strcmp(kind, "STL") == 0 ? "stl" : "obj");
  else
    api_text_append(
        fault->detail, sizeof fault->detail,
        " Files are sent with Content-Type: model/stl or model/obj and ?unit=UNIT (curl "
        "--data-binary @file).");
}

void api_suggest_content_type(api_call *call) {
  if (!api_faults_any(&call->faults) || call->input.body_length == 0) return;
  const char *kind = api_file_kind(call->input.body, call->input.body_length);
  api_form form = call->match.form;
  bool other = kind && form != (strcmp(kind, "STL") == 0 ? API_FORM_STL : API_FORM_OBJ);
  switch (call->faults.id) {
  case API_PROBLEM_MALFORMED_JSON:
    if (kind || call->route->body == API_INTAKE_SHAPE)
      append_upload_hint(&call->faults.items[0], kind);
    break;
  case API_PROBLEM_BAD_PARAMETER:
  case API_PROBLEM_MALFORMED_FILE:
    if (other) append_upload_hint(&call->faults.items[0], kind);
    break;
  default: break;
  }
}
