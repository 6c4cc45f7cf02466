/*
 * A process that does not exist.
 * @@needs: prog:calls
 * @@run: $PROGS/calls counts once 1
 */
pid4194305:::entry { }
