/* Formats numbers in decimal, independent of the locale and without the cost of snprintf. */
#include "process/text.h"

size_t srv_text_unsigned(char *out, uint64_t value) {
  char digits[20];
  size_t n = 0;
  do {
    digits[n++] = (char)('0' + value % 10);
    value /= 10;
  } while (value);
  for (size_t i = 0; i < n; i++) out[i] = digits[n - 1 - i];
  out[n] = 0;
  return n;
}

size_t srv_text_ms(char *out, uint64_t ns) {
  uint64_t us = ns / 1000;
  size_t n = srv_text_unsigned(out, us / 1000);
  unsigned part = (unsigned)(us % 1000);
  out[n++] = '.';
  out[n++] = (char)('0' + part / 100);
  out[n++] = (char)('0' + part / 10 % 10);
  out[n++] = (char)('0' + part % 10);
  out[n] = 0;
  return n;
}
