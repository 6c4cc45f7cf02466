/*
 * chill() needs -w.
 * @@args: -q
 * @@exit: 1
 */
BEGIN { chill(1); exit(0); }
