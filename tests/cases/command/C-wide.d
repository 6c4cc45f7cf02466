/*
 * Headers that have complex numbers, atomic types and 128-bit integers can be
 * included.
 * @@args: -C -q
 */
#include <complex.h>
#include <pthread.h>

BEGIN { printf("%d %d\n", sizeof(double complex), sizeof(__int128_t)); exit(0); }
