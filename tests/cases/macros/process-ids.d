/*
 * $pid, $ppid, $pgid and $sid are those of dtrace, which a shell with job
 * control puts into a process group of its own.
 */
BEGIN { }
