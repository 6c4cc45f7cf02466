/*
 * Two probes of a clause whose first arguments have different types.
 */
syscall::read:entry, syscall::openat:entry { trace(args[0]); }
