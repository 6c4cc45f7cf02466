/*
 * An offset outside of the function.
 * @@needs: prog:calls
 * @@run: $PROGS/calls counts once 1
 */
pid$target:a.out:fn_nop:1000 { }
