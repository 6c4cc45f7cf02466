/*
 * strtok of NULL needs a string that was given before, in the same firing.
 * @@args: -q
 */
BEGIN { trace(strtok("a b", " ")); }
tick-1 { trace(strtok(NULL, " ")); }
tick-1 { exit(0); }
