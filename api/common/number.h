/* Shortest decimal text of a double: the fewest digits that read back to the same bits and, of
 * several such texts, the one nearest to the value. Method: Schubfach (Giulietti 2020). */
#ifndef API_COMMON_NUMBER_H
#define API_COMMON_NUMBER_H

#include <stddef.h>
#include <stdint.h>

/* Buffer size that each function below requires; the end of it is scratch. */
#define API_NUMBER_BYTES 32

/* Decimal form of a finite value other than 0: |value| = digits * 10^exponent, `digits` without
 * trailing zeros. */
typedef struct api_decimal {
  uint64_t digits;
  int exponent;
} api_decimal;
api_decimal api_number_shortest(double value);

/* Writes the JSON text of a finite value, without a NUL, and returns its length (at most 25). -0 is
 * written as 0. Magnitudes from 1e-6 and below 1e17 are written plainly (1000, 0.001), others with
 * an exponent (1e21, 1.5e-9). */
size_t api_number_format(double value, char *out);
/* Writes an unsigned integer in decimal, without a NUL, and returns its length (at most 20). */
size_t api_number_unsigned(uint64_t value, char *out);

#endif
