/*
 * A typed argument is not compared with what it cannot be.
 */
syscall::openat:entry { trace(args[0] == "/dev/null"); }
