/*
 * A path that names no file.
 */
pid*:/nonexistent/program:main:entry { }
