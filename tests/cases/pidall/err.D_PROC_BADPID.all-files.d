/*
 * A pattern that every file matches names none.
 */
pid*:*:malloc:entry { }
