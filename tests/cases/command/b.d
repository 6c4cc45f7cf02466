/*
 * -b sets the buffer size.
 */
BEGIN { exit(0); }
