/*
 * No function that the pattern selects has the offset.
 */
pid*:libc.so.6:mallo*:ffffff { }
