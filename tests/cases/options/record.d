/*
 * A recorded run prints what it printed, and its recording prints it again.
 */
BEGIN { printf("%s %d\n", "printed", 1); @["key"] = count(); }
BEGIN { trace(*(int *)0); }
ERROR { exit(2); }
