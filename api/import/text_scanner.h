/* Reading of text files of geometry: words, lines and numbers, the same whatever the locale. */
#ifndef API_IMPORT_TEXT_SCANNER_H
#define API_IMPORT_TEXT_SCANNER_H

#include <contact/scene.h>

/* Where reading stands. Set at, end and line (1). */
typedef struct api_scanner {
  const char *at, *end;
  size_t line;
} api_scanner;

/* The next word of the line: bytes without blanks. A backslash at a line's end joins the next one.
 * False: none is left. */
bool api_scanner_word_on_line(api_scanner *scan, ct_text *out);
/* The next word wherever it stands. False: the file ends. */
bool api_scanner_next_word(api_scanner *scan, ct_text *out);
/* To the start of the next line. False: the file ends. */
bool api_scanner_next_line(api_scanner *scan);

/* Is the word `plain`, which is in lower case, whatever the case of its letters? */
bool api_word_equals(ct_text word, const char *plain);

/* NOT_FINITE: nan, inf, or beyond what a double holds. */
typedef enum api_word_number {
  API_WORD_NUMBER,
  API_WORD_NO_NUMBER,
  API_WORD_NOT_FINITE
} api_word_number;
/* The double nearest to [+-]digits[.digits][e[+-]digits]; -0 is 0, what is too small is 0 or
 * subnormal. *out is untouched unless a number is read. */
api_word_number api_word_read(ct_text word, double *out);
/* [+-]digits within an int64_t. False: not so. */
bool api_word_integer(ct_text word, int64_t *out);

#endif
