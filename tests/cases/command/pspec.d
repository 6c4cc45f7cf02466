/*
 * -x pspec permits a description that could be a type: without it the star of
 * "string*" makes a pointer.
 */
BEGIN { exit(0); }
