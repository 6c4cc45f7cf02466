/*
 * -x sets an option; one that does not exist, or a bad value, is refused.
 */
BEGIN { exit(0); }
