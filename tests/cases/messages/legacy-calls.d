/*
 * The C library makes none of the calls that notices say it does not make, and
 * all that they say it makes instead.
 * @@needs: prog:legacy
 */
BEGIN { exit(0); }
