/*
 * stop() needs -w.
 * @@args: -q
 * @@exit: 1
 */
BEGIN { stop(); exit(0); }
