/*
 * A name that is no entry, return or offset.
 * @@needs: prog:calls
 * @@run: $PROGS/calls counts once 1
 */
pid$target:a.out:fn_nop:entri { }
