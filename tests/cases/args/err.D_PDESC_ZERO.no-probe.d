/*
 * A misspelt probe is what is reported, not the types that it lacks.
 */
syscall::raed:entry { trace(args[0]); }
