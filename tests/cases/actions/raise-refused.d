/*
 * raise() needs -w.
 * @@args: -q
 * @@exit: 1
 */
BEGIN { raise(10); exit(0); }
