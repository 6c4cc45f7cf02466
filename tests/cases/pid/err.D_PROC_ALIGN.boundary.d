/*
 * An offset within an instruction.
 * @@needs: prog:calls
 * @@run: $PROGS/calls counts once 1
 */
pid$target:a.out:fn_nop:1 { }
