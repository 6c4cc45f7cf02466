/*
 * One clause may have several descriptions, and a probe's number.
 * @@args: -q
 */
BEGIN, dtrace:::END { printf("%s\n", probename); }
BEGIN { exit(0); }
