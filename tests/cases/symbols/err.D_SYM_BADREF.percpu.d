/*
 * A per-CPU variable of a kernel that lists functions only: BPF cannot find it.
 * @@needs: no-ksym:runqueues
 */
BEGIN { trace(`runqueues.cpu); }
