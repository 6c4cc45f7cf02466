/*
 * A description that matches no probe.
 * @@needs: root bpf
 */
syscall::nosuchcall:entry { trace(1); }
