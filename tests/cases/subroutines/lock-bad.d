/*
 * A lock that is not there is a bad address.
 * @@args: -q
 */
BEGIN { trace(mutex_type_spin((void *)4096)); }
BEGIN { trace(rw_write_held((void *)4096)); }
BEGIN { exit(0); }
