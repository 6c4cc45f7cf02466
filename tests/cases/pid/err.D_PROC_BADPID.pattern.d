/*
 * A pattern of processes makes no probes.
 * @@needs: prog:calls
 * @@run: $PROGS/calls counts once 1
 */
pid*:libc:malloc:entry { }
