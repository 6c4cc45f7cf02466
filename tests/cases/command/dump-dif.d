/*
 * Stage dif of --dump: the objects, as -S lists them, and the trace goes on.
 * @@args: -q --dump=dif
 */
BEGIN { exit(0); }
