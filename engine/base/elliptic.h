/* Elliptic integrals and functions with the same bits on every machine: only + - * / and sqrt.
 *
 * m1 is the complementary parameter 1 - m. Callers pass it directly, so no digits are lost near m =
 * 1.
 */
#ifndef BASE_ELLIPTIC_H
#define BASE_ELLIPTIC_H

/* Carlson's integral R_F(x, y, z) for arguments >= 0, at most one of them zero; relative error of a
 * few u. Cost: about ten steps of three square roots, more if the arguments differ by many powers
 * of two. Carlson 1995, Numerical computation of real or complex elliptic integrals. */
double ct_carlson_f(double x, double y, double z);

/* Carlson's integral R_J(x, y, z, p) with x, y, z as for R_F and p > 0. product = (p - x)(p - y)(p
 * - z) >= 0 is passed separately, because callers have an accurate value where the differences
 * cancel. Carlson 1995. */
double ct_carlson_j(const double xyz[3], double p, double product);

/* Largest number of steps of the arithmetic-geometric mean of 1 and sqrt(m1) for m1 >=
 * CT_JACOBI_LEAST. Each step squares the relative difference. */
#define CT_JACOBI_STEPS 16
#define CT_JACOBI_LEAST 0x1p-220

/* Precomputed arithmetic-geometric means from which sn, cn and dn of one parameter are
 * evaluated. */
typedef struct ct_jacobi {
  double root;    /* sqrt(m1) */
  double mean;    /* agm(1, root) */
  double quarter; /* period K = pi / (2 mean) */
  /* number of valid entries in `arithmetic` and `geometric` */
  int steps;
  double arithmetic[CT_JACOBI_STEPS], geometric[CT_JACOBI_STEPS];
} ct_jacobi;

/* Values of sn, cn and dn at (argument - half_periods 2 K), an argument in [-K, K], where cn and dn
 * are >= 0. For the argument itself, sn and cn change their signs if half_periods is odd. */
typedef struct ct_jacobi_value {
  double sn, cn, dn;
  double half_periods; /* number of half periods subtracted from the argument: an integer, stored as
                          a double */
} ct_jacobi_value;

/* Precomputes the means for the complementary parameter m1 in [CT_JACOBI_LEAST, 1]. */
void ct_jacobi_set(ct_jacobi *jacobi, double m1);

/* Evaluates sn, cn and dn, with errors of a few u relative to the rounded argument; |argument| <=
 * 1e15. Bulirsch 1965, Numerical calculation of elliptic integrals and elliptic functions. */
ct_jacobi_value ct_jacobi_at(const ct_jacobi *jacobi, double argument);

#endif
