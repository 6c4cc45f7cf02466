/*
 * Option cgroup: only threads in the group, or below it, fire probes; BEGIN,
 * END and tick always do.
 * @@needs: prog:known cmd:unshare
 */
BEGIN { exit(0); }
