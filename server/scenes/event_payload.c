/* Format of an event: its name, its contact state ("": none) and the decimal length of its data,
 * each with a terminating zero, then the data. The parser validates its input, because the data are
 * sent to clients. */
#include "scenes/event_payload.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Longest name of an event, B. */
#define NAME_MAX_BYTES 32
/* Size of a buffer for a decimal length with its terminating zero, B. */
#define LENGTH_TEXT 24

static size_t append_text_field(char *out, const char *text) {
  size_t length = strlen(text) + 1;
  memcpy(out, text, length);
  return length;
}

char *srv_event_payload_write(const api_event *events, size_t count, size_t *length) {
  size_t most = 1;
  for (size_t i = 0; i < count; i++)
    most += NAME_MAX_BYTES + CT_ID_LENGTH_MAX + 1 + LENGTH_TEXT + events[i].length;
  char *bytes = malloc(most);
  *length = 0;
  for (size_t i = 0; bytes && i < count; i++) {
    const api_event *event = &events[i];
    *length += append_text_field(bytes + *length, event->name);
    *length += append_text_field(bytes + *length, event->contact_state ? event->contact_state : "");
    *length += (size_t)snprintf(bytes + *length, LENGTH_TEXT, "%zu", event->length) + 1;
    memcpy(bytes + *length, event->data, event->length);
    *length += event->length;
  }
  return bytes;
}

/* Parses a text that ends with a zero byte and contains no control characters, at most `most`
 * bytes; blanks: spaces are permitted. Advances *at past the zero. NULL: invalid. */
static const char *parse_text_field(const char *bytes, size_t length, size_t *at, size_t most,
                                    bool blanks) {
  const char *text = bytes + *at, *end = memchr(text, 0, length - *at);
  if (!end || (size_t)(end - text) > most) return NULL;
  for (const char *c = text; c < end; c++)
    if ((unsigned char)*c < ' ' || *c == 0x7f || (*c == ' ' && !blanks)) return NULL;
  *at += (size_t)(end - text) + 1;
  return text;
}

bool srv_event_payload_next(const char *bytes, size_t length, size_t *at, api_event *out) {
  const char *name = parse_text_field(bytes, length, at, NAME_MAX_BYTES - 1, false);
  const char *state = name ? parse_text_field(bytes, length, at, CT_ID_LENGTH_MAX, true) : NULL;
  const char *digits = state ? parse_text_field(bytes, length, at, LENGTH_TEXT - 1, false) : NULL;
  if (!digits || !*name) return false;
  if (digits[strspn(digits, "0123456789")]) return false;
  unsigned long long size = strtoull(digits, NULL, 10);
  if (size == 0 || size > length - *at) return false;
  *out = (api_event){.name = name,
                     .data = bytes + *at,
                     .length = (size_t)size,
                     .contact_state = *state ? state : NULL};
  *at += (size_t)size;
  return !memchr(out->data, '\n', out->length) && !memchr(out->data, '\r', out->length);
}
