/*
 * A program of 32 bits has other mutexes.
 * @@needs: prog:locks32 bits32
 * @@run: $PROGS/locks32
 */
plockstat$target:::mutex-acquire { }
