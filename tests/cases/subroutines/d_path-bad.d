/*
 * d_path() of a path that is not there is a bad address.
 * @@args: -q
 */
BEGIN { trace(d_path((void *)4096)); }
BEGIN { exit(0); }
