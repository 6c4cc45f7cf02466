/*
 * journal-start is of a file system that Linux does not have.
 */
io:::journal-start { }
