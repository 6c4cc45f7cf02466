/*
 * #pragma D error ends the compile.
 */
#pragma D error on purpose
BEGIN { exit(0); }
