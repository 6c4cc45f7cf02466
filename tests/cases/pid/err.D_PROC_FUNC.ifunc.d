/*
 * A symbol that stands for a choice of functions has no code that is called.
 * @@needs: prog:calls
 * @@run: $PROGS/calls counts once 1
 */
pid$target:libc.so.6:strlen:entry { }
