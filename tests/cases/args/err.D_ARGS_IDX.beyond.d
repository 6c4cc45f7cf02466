/*
 * read() has three arguments.
 */
syscall::read:entry { trace(args[3]); }
