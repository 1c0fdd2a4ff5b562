/* Scan for a JSON member: a state machine that only tracks strings and nesting depth. */
#include "process/json_member.h"

#include <string.h>

static bool is_json_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

/* Characters outside of strings at which the scan stops. */
static const bool stops_scan[256] = {
    ['"'] = true, ['{'] = true, ['['] = true, ['}'] = true, [']'] = true};

/* Scans to the next string, or to the end of the top-level value. */
static void scan_between_members(srv_json_member *peek, const char *text, size_t length) {
  size_t at = peek->at;
  while (at < length && !stops_scan[(unsigned char)text[at]]) at++;
  peek->at = at;
  if (at == length) return;
  char c = text[at];
  peek->at++;
  if (c == '"') {
    peek->start = peek->at;
    peek->state = SRV_JSON_MEMBER_STRING;
  } else if (c == '{' || c == '[') {
    peek->depth++;
  } else if (peek->depth <= 1) {
    peek->state = SRV_JSON_MEMBER_DONE;
  } else {
    peek->depth--;
  }
}

/* Scans to the end of the string, or past the backslash of an escape. */
static void scan_json_string(srv_json_member *peek, const char *text, size_t length) {
  size_t at = peek->at;
  while (at < length && text[at] != '"' && text[at] != '\\') at++;
  peek->at = at;
  if (at == length) return;
  peek->at++;
  if (text[at] == '\\') {
    peek->state = SRV_JSON_MEMBER_ESCAPE;
    return;
  }
  size_t size = strlen(peek->name);
  bool named = peek->depth == 1 && at - peek->start == size &&
               memcmp(text + peek->start, peek->name, size) == 0;
  peek->state = named ? SRV_JSON_MEMBER_COLON : SRV_JSON_MEMBER_BETWEEN;
}

/* Scans for the colon after a string that equals the name. Without a colon, the string was a value,
 * or the text is not JSON. */
static void scan_member_colon(srv_json_member *peek, const char *text, size_t length) {
  while (peek->at < length && is_json_space(text[peek->at])) peek->at++;
  if (peek->at == length) return;
  peek->state = text[peek->at] == ':' ? SRV_JSON_MEMBER_VALUE : SRV_JSON_MEMBER_BETWEEN;
  if (peek->state == SRV_JSON_MEMBER_VALUE) peek->at++;
}

static void scan_member_value(srv_json_member *peek, const char *text, size_t length) {
  while (peek->at < length && is_json_space(text[peek->at])) peek->at++;
  if (peek->at == length) return;
  peek->found = true;
  peek->value = peek->at;
  peek->state = SRV_JSON_MEMBER_DONE;
}

void srv_json_member_scan(srv_json_member *peek, const char *text, size_t length) {
  while (peek->at < length && peek->state != SRV_JSON_MEMBER_DONE) {
    switch (peek->state) {
    case SRV_JSON_MEMBER_BETWEEN: scan_between_members(peek, text, length); break;
    case SRV_JSON_MEMBER_STRING: scan_json_string(peek, text, length); break;
    case SRV_JSON_MEMBER_ESCAPE:
      peek->at++;
      peek->state = SRV_JSON_MEMBER_STRING;
      break;
    case SRV_JSON_MEMBER_COLON: scan_member_colon(peek, text, length); break;
    case SRV_JSON_MEMBER_VALUE: scan_member_value(peek, text, length); break;
    case SRV_JSON_MEMBER_DONE: break;
    }
  }
}
