/*
 * A thread of the kernel runs no program.
 * @@needs: prog:calls
 * @@run: $PROGS/calls counts once 1
 */
pid2:::entry { }
