/* Elliptic integrals and functions, to the same bits everywhere: by + - * / and sqrt alone.
 *
 * m1 is the complementary parameter, 1 - m: given, not computed from m, so that nothing is lost where m is near 1.
 */
#ifndef BASE_ELLIPTIC_H
#define BASE_ELLIPTIC_H

/* R_F of arguments >= 0, at most one zero: right to some u. Cost: some ten steps of three square roots, more where they differ by
 * many powers. Carlson 1995, Numerical computation of real or complex elliptic integrals. */
double ct_carlson_f(double x, double y, double z);

/* R_J of x, y, z as above and p > 0, where product = (p - x)(p - y)(p - z) >= 0 is given: the caller knows it to its last digits
 * where the differences cancel. Ibid. */
double ct_carlson_j(const double xyz[3], double p, double product);

/* Steps of an arithmetic-geometric mean from 1 and sqrt(m1), m1 >= CT_JACOBI_LEAST: each squares what the two differ by. */
#define CT_JACOBI_STEPS 16
#define CT_JACOBI_LEAST 0x1p-220

/* What sn, cn and dn of one parameter are found from. */
typedef struct ct_jacobi {
  double root;    /* sqrt(m1) */
  double mean;    /* agm(1, root) */
  double quarter; /* period K = pi / (2 mean) */
  int steps;
  double arithmetic[CT_JACOBI_STEPS], geometric[CT_JACOBI_STEPS];
} ct_jacobi;

/* sn, cn and dn of an argument less `half_periods` times 2 K, which is within -K..K: cn and dn >= 0 there. An odd number of half
 * periods changes the signs of sn and cn. */
typedef struct ct_jacobi_value {
  double sn, cn, dn;
  double half_periods; /* whole */
} ct_jacobi_value;

/* m1 in [CT_JACOBI_LEAST, 1]. */
void ct_jacobi_set(ct_jacobi *jacobi, double m1);

/* sn, cn and dn to some u, relative, of the argument as rounded; |argument| at most 1e15. Bulirsch 1965, Numerical calculation of
 * elliptic integrals and elliptic functions. */
ct_jacobi_value ct_jacobi_at(const ct_jacobi *jacobi, double argument);

#endif
