/*
 * An index that is not constant.
 */
syscall::read:entry { trace(args[cpu]); }
