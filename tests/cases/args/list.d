/*
 * -lv shows the types of a probe's arguments.
 */
syscall::openat:entry, dtrace:::ERROR, syscall::read:return
