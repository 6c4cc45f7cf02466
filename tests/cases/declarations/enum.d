/*
 * Enumerators count on from constant expressions.
 * @@args: -q
 */
enum e { A = 1 << 3, B, C = A | B, D = sizeof (int), E };
BEGIN { printf("%d %d %d %d %d %d\n", A, B, C, D, E, sizeof (enum e)); exit(0); }
