/*
 * Flags take the words of every DTrace, in any case, and numbers.
 */
BEGIN { setopt("quiet", "DISABLED"); setopt("rawbytes", "1"); exit(0); }
