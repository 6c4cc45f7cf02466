/*
 * A function that ends in a jump to an address that is computed.
 * @@needs: prog:calls
 * @@run: $PROGS/calls counts once 1
 */
pid$target:a.out:fn_indirect:exit { }
