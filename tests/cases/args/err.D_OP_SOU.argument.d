/*
 * A member of a typed argument that is no struct.
 */
syscall::read:entry { trace(args[1]->length); }
