/*
 * The file has no such function.
 */
pid*:libc.so.6:nonexistent_function:entry { }
