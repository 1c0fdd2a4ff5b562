/* Scans text files of geometry for words, lines and numbers, independently of the locale. */
#ifndef API_IMPORT_TEXT_SCANNER_H
#define API_IMPORT_TEXT_SCANNER_H

#include <contact/scene.h>

/* Position of a scan. Initialise at, end and line (1). */
typedef struct api_scanner {
  const char *at, *end;
  size_t line;
} api_scanner;

/* Reads the next word of the line: bytes without blanks. A backslash at the end of a line joins the
 * next line. False: no more words. */
bool api_scanner_word_on_line(api_scanner *scan, ct_text *out);
/* Reads the next word on any line. False: end of file. */
bool api_scanner_next_word(api_scanner *scan, ct_text *out);
/* Advances to the start of the next line. False: end of file. */
bool api_scanner_next_line(api_scanner *scan);

/* True if the word equals `plain`, which is in lower case, ignoring case. */
bool api_word_equals(ct_text word, const char *plain);

/* NOT_FINITE: nan, inf, or beyond the range of doubles. */
typedef enum api_word_number {
  API_WORD_NUMBER,
  API_WORD_NO_NUMBER,
  API_WORD_NOT_FINITE
} api_word_number;
/* Reads the double nearest to [+-]digits[.digits][e[+-]digits]; -0 becomes 0, and small values
 * become 0 or subnormal. *out is set only if a number is read. */
api_word_number api_word_read(ct_text word, double *out);
/* Reads an integer [+-]digits. False: another form, or beyond the range of int64_t. */
bool api_word_integer(ct_text word, int64_t *out);

#endif
