/*
 * -x pspec permits a probe's name that could be a type.
 */
BEGIN { exit(0); }
