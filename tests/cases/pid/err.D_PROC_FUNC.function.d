/*
 * A function that the module does not have.
 * @@needs: prog:calls
 * @@run: $PROGS/calls counts once 1
 */
pid$target:a.out:fn_none:entry { }
