/*
 * A system call answers to its tracepoint's name as well.
 */
syscall::newuname:entry, syscall::newfstat:return {}
