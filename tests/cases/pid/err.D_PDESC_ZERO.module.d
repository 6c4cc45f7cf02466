/*
 * A module that the process has not loaded.
 * @@needs: prog:calls
 * @@run: $PROGS/calls counts once 1
 */
pid$target:libnone:f:entry { }
