/* Shortest decimal text of a double by Schubfach (R. Giulietti, "The Schubfach way to render
 * doubles", 2020). Only integer arithmetic is used, so that the text does not depend on locale or
 * compiler. Numbers are parsed by jansson, not here. */
#include "common/number.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "common/number_powers.h"

#define FRACTION_BITS 52
#define EXPONENT_BIAS 1075 /* value = significand * 2^(biased - 1075) */
#define LEAST_EXPONENT (1 - EXPONENT_BIAS)

/* A value is written without an exponent if its decimal point is -5 to 17 digits after the first
 * digit. Whole numbers below 1e17 thus stay exact for readers with 64-bit integers. */
#define POINT_LEAST (-5)
#define POINT_GREATEST 17

/* floor(log10(2^e)), floor(log10(3/4 * 2^e)) and floor(log2(10^e)) by multiplication, exact for |e|
 * <= 1200. Factors: 1262611 is log10(2) 2^22, 1741647 is log2(10) 2^19, 524031 is log10(4/3) 2^22.
 * Right shifts of negative numbers round down. */
static int floor_log10_pow2(int e) { return (e * 1262611) >> 22; }
static int floor_log10_three_quarters_pow2(int e) { return (e * 1262611 - 524031) >> 22; }
static int floor_log2_pow10(int e) { return (e * 1741647) >> 19; }

__extension__ typedef unsigned __int128 wide;

/* Returns floor(p g / 2^128) with the lowest bit set if the quotient is not whole (round to odd). g
 * is the power of ten, rounded up; this error of less than 1 affects only the lowest bit of the
 * middle word. */
static uint64_t multiply_round_to_odd(const uint64_t g[2], uint64_t p) {
  wide low = (wide)g[1] * p;
  wide high = (wide)g[0] * p + (uint64_t)(low >> 64);
  uint64_t middle = (uint64_t)high;
  return (uint64_t)(high >> 64) | (middle > 1);
}

static api_decimal remove_trailing_zeros(uint64_t digits, int exponent) {
  assert(digits > 0);
  /* Remove eight zeros at once first: whole numbers and fractions of few digits have many. */
  if (digits % 100000000 == 0) {
    digits /= 100000000;
    exponent += 8;
  }
  while (digits % 10 == 0) {
    digits /= 10;
    exponent++;
  }
  return (api_decimal){digits, exponent};
}

/* Returns the shortest decimal that rounds to c * 2^q. lower_is_closer: c is a power of two, so
 * that the gap to the next smaller double is half as wide. */
static api_decimal find_shortest_decimal(uint64_t c, int q, bool lower_is_closer) {
  bool odd = c & 1;
  int k = lower_is_closer ? floor_log10_three_quarters_pow2(q) : floor_log10_pow2(q);
  int h = q + floor_log2_pow10(-k) + 1;
  assert(-k >= POWER_FIRST && -k <= POWER_LAST && h > 0 && h < 8);
  const uint64_t *g = powers[-k - POWER_FIRST];

  /* below, value, above: the lower end of the interval that rounds to the double, the double itself
   * and the upper end, all times 4 * 10^-k. The interval contains its ends if c is even. */
  uint64_t below = multiply_round_to_odd(g, (4 * c - (lower_is_closer ? 1 : 2)) << h) + odd;
  uint64_t value = multiply_round_to_odd(g, (4 * c) << h);
  uint64_t above = multiply_round_to_odd(g, (4 * c + 2) << h) - odd;

  /* Prefer a multiple of 10^(k+1): at most one of the two neighbours is inside the interval. */
  uint64_t s = value / 4;
  if (s >= 10) {
    uint64_t t = s / 10;
    bool down = below <= 40 * t, up = 40 * t + 40 <= above;
    if (down != up) return remove_trailing_zeros(t + up, k + 1);
  }
  /* Otherwise take a multiple of 10^k: the only one inside the interval, or the nearer one of both;
   * ties to even. */
  bool down = below <= 4 * s, up = 4 * s + 4 <= above;
  if (down != up) return remove_trailing_zeros(s + up, k);
  uint64_t half = 4 * s + 2;
  bool round_up = value > half || (value == half && (s & 1));
  return remove_trailing_zeros(s + round_up, k);
}

api_decimal api_number_shortest(double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  uint64_t fraction = bits & ((UINT64_C(1) << FRACTION_BITS) - 1);
  int biased = (int)(bits >> FRACTION_BITS & 0x7ff);
  assert(biased != 0x7ff && (biased != 0 || fraction != 0));

  /* Subnormal numbers have no implicit leading bit. */
  if (biased == 0) return find_shortest_decimal(fraction, LEAST_EXPONENT, false);
  uint64_t c = fraction | UINT64_C(1) << FRACTION_BITS;
  int q = biased - EXPONENT_BIAS;
  /* Whole numbers below 2^53 are already decimal. */
  if (q <= 0 && q > -53 && (c & ((UINT64_C(1) << -q) - 1)) == 0)
    return remove_trailing_zeros(c >> -q, 0);
  return find_shortest_decimal(c, q, fraction == 0 && biased > 1);
}

static const char pairs[201] = "0001020304050607080910111213141516171819202122232425262728293031323"
                               "334353637383940414243444546474849"
                               "5051525354555657585960616263646566676869707172737475767778798081828"
                               "384858687888990919293949596979899";

static int count_decimal_digits(uint64_t value) {
  int length = 1;
  while (value >= 10000) {
    value /= 10000;
    length += 4;
  }
  return length + (value >= 10) + (value >= 100) + (value >= 1000);
}

/* Writes the value with exactly `length` decimal digits at out. */
static void put_digits(uint64_t value, int length, char *out) {
  while (length >= 2) {
    length -= 2;
    memcpy(out + length, pairs + 2 * (value % 100), 2);
    value /= 100;
  }
  if (length) out[0] = (char)('0' + value);
}

size_t api_number_unsigned(uint64_t value, char *out) {
  int length = count_decimal_digits(value);
  put_digits(value, length, out);
  return (size_t)length;
}

static size_t put_exponent(int exponent, char *out) {
  assert(exponent >= -324 && exponent <= 308);
  size_t n = 0;
  out[n++] = 'e';
  if (exponent < 0) out[n++] = '-';
  return n + api_number_unsigned((uint64_t)(exponent < 0 ? -exponent : exponent), out + n);
}

size_t api_number_format(double value, char *out) {
  assert(isfinite(value));
  if (value == 0.0) {
    out[0] = '0';
    return 1;
  }
  size_t n = 0;
  if (value < 0.0) out[n++] = '-';
  api_decimal d = api_number_shortest(value);
  int length = count_decimal_digits(d.digits);
  int point = length + d.exponent; /* number of digits before the decimal point */

  if (point > POINT_GREATEST || point < POINT_LEAST) { /* exponent notation: d.ddde-9 */
    put_digits(d.digits, length, out + n + 1);
    out[n] = out[n + 1];
    out[n + 1] = '.';
    n += length == 1 ? 1 : (size_t)length + 1;
    return n + put_exponent(point - 1, out + n);
  }
  if (point <= 0) { /* 0.00ddd */
    memcpy(out + n, "0.000000", 8);
    put_digits(d.digits, length, out + n + 2 - point);
    return n + 2 + (size_t)(length - point);
  }
  if (point >= length) { /* ddd000 */
    put_digits(d.digits, length, out + n);
    memset(out + n + length, '0', (size_t)(point - length));
    return n + (size_t)point;
  }
  put_digits(d.digits, length, out + n + 1); /* dd.ddd */
  memmove(out + n, out + n + 1, (size_t)point);
  out[n + (size_t)point] = '.';
  return n + (size_t)length + 1;
}
