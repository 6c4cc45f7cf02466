/*
 * A closed output is reported as such, however dtrace writes to it.
 */
BEGIN { trace(1); exit(0); }
