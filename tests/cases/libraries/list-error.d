/*
 * A listing reports an error in a library of -L, and the reason why a library
 * makes no probe.
 */
BEGIN { exit(0); }
