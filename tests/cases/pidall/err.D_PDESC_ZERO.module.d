/*
 * No process has loaded such a module.
 */
pid*:libnonexistent.so.99:f:entry { }
