/*
 * args[] is refused with a hint to arg0 .. arg9.
 */
syscall::read:entry { trace(args[0]); }
