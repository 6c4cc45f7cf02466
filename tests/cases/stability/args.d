/*
 * args[] is as stable as the probes' arguments.
 * @@needs: nothing
 */
syscall::read:entry { trace(args[0]); }
