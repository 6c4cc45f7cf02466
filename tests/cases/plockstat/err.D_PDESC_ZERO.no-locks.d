/*
 * A program without a C library has no locks that are known.
 * @@needs: prog:circle
 * @@run: $PROGS/circle
 */
plockstat$target:::mutex-acquire { }
