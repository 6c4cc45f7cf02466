/*
 * The name of the probe is none.
 */
pid*:libc.so.6:malloc:enter { }
