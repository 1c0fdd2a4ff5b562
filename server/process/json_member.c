/* Only strings and depth are followed. */
#include "process/json_member.h"

#include <string.h>

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

/* What the search does not pass over outside of strings. */
static const bool is_mark[256] = {['"'] = true, ['{'] = true, ['['] = true, ['}'] = true, [']'] = true};

/* Up to the next string or the end of the top value. */
static void go_between(srv_peek *peek, const char *text, size_t length) {
  size_t at = peek->at;
  while (at < length && !is_mark[(unsigned char)text[at]]) at++;
  peek->at = at;
  if (at == length) return;
  char c = text[at];
  peek->at++;
  if (c == '"') {
    peek->start = peek->at;
    peek->state = SRV_PEEK_STRING;
  } else if (c == '{' || c == '[') {
    peek->depth++;
  } else if (peek->depth <= 1) {
    peek->state = SRV_PEEK_OVER;
  } else {
    peek->depth--;
  }
}

/* Up to the string's end, or past a backslash. */
static void go_string(srv_peek *peek, const char *text, size_t length) {
  size_t at = peek->at;
  while (at < length && text[at] != '"' && text[at] != '\\') at++;
  peek->at = at;
  if (at == length) return;
  peek->at++;
  if (text[at] == '\\') {
    peek->state = SRV_PEEK_ESCAPE;
    return;
  }
  size_t size = strlen(peek->name);
  bool named = peek->depth == 1 && at - peek->start == size && memcmp(text + peek->start, peek->name, size) == 0;
  peek->state = named ? SRV_PEEK_COLON : SRV_PEEK_BETWEEN;
}

/* Without a colon behind it the string was a value, or the text is no JSON. */
static void go_colon(srv_peek *peek, const char *text, size_t length) {
  while (peek->at < length && is_blank(text[peek->at])) peek->at++;
  if (peek->at == length) return;
  peek->state = text[peek->at] == ':' ? SRV_PEEK_VALUE : SRV_PEEK_BETWEEN;
  if (peek->state == SRV_PEEK_VALUE) peek->at++;
}

static void go_value(srv_peek *peek, const char *text, size_t length) {
  while (peek->at < length && is_blank(text[peek->at])) peek->at++;
  if (peek->at == length) return;
  peek->found = true;
  peek->value = peek->at;
  peek->state = SRV_PEEK_OVER;
}

void srv_peek_on(srv_peek *peek, const char *text, size_t length) {
  while (peek->at < length && peek->state != SRV_PEEK_OVER) {
    switch (peek->state) {
    case SRV_PEEK_BETWEEN: go_between(peek, text, length); break;
    case SRV_PEEK_STRING: go_string(peek, text, length); break;
    case SRV_PEEK_ESCAPE:
      peek->at++;
      peek->state = SRV_PEEK_STRING;
      break;
    case SRV_PEEK_COLON: go_colon(peek, text, length); break;
    case SRV_PEEK_VALUE: go_value(peek, text, length); break;
    case SRV_PEEK_OVER: break;
    }
  }
}
