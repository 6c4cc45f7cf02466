/*
 * -T of a type that does not exist names the nearest, or the tag that is
 * missing.
 */
BEGIN { exit(0); }
