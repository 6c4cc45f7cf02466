/*
 * With option cgroup, probes of processes run in the kernel: a thread may come
 * into the group at any time.
 * @@needs: prog:mixed cmd:unshare cmd:pgrep
 */
BEGIN { exit(0); }
