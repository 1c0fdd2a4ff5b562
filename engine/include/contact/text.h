/* Spans of bytes: ids and names. */
#ifndef CONTACT_TEXT_H
#define CONTACT_TEXT_H

#include <stddef.h>

/* Not terminated. */
typedef struct ct_text {
  const char *bytes;
  size_t length;
} ct_text;

#endif
