/*
 * A path that names a directory.
 */
pid*:/usr/bin:main:entry { }
