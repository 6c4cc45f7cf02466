/*
 * The error names the misspelt probe, not the types that it lacks.
 */
syscall::raed:entry { trace(args[0]); }
