/*
 * -X takes a conformance of the C preprocessor.
 */
BEGIN { exit(0); }
