/*
 * -q prints nothing but data.
 */
BEGIN { exit(0); }
