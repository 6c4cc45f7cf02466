/*
 * A pattern of some processes makes no probes.
 */
pid[1-9]*:libc:malloc:entry { }
