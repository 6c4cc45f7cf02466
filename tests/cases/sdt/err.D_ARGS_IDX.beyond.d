/*
 * A tracepoint has as many arguments as the kernel passes.
 */
sdt:sched::sched_switch { trace(args[9]); }
