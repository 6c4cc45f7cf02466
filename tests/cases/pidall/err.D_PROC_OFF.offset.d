/*
 * The offset is behind the function.
 */
pid*:libc.so.6:malloc:ffffff { }
