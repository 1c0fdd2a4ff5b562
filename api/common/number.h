/* Shortest decimal text of a double: fewest digits that read back to the same bits, the nearest of
 * those. Schubfach (Giulietti 2020). */
#ifndef API_COMMON_NUMBER_H
#define API_COMMON_NUMBER_H

#include <stddef.h>
#include <stdint.h>

/* Buffer size for each function below; a part is scratch. */
#define API_NUMBER_BYTES 32

/* Decimal significand without trailing zeros, and exponent: |value| = digits * 10^exponent. value
 * is finite and not 0. */
typedef struct api_decimal {
  uint64_t digits;
  int exponent;
} api_decimal;
api_decimal api_number_shortest(double value);

/* Writes JSON text of a finite value, not terminated, and returns its length (at most 25). -0 is
 * written as 0. Whole numbers below 1e17 and fractions from 1e-6 have plain notation (1000, 0.001),
 * others an exponent (1e21, 1.5e-9). */
size_t api_number_format(double value, char *out);
/* The same for an unsigned integer; at most 20 bytes. */
size_t api_number_unsigned(uint64_t value, char *out);

#endif
