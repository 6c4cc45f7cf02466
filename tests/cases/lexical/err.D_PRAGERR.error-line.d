/*
 * #error ends the compile.
 */
#error this is on purpose
BEGIN { exit(0); }
