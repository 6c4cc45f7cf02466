/*
 * Clauses and descriptions that share a place all run, in the order of the
 * script: by name, by offset, and two clauses on one probe.
 * @@args: -q
 * @@needs: prog:calls
 * @@run: $PROGS/calls counts once 1
 */
pid$target:a.out:fn_nop:entry { printf("first\n"); }
pid$target:a.out:fn_nop:entry { printf("second\n"); }
pid$target:a.out:fn_no*:entry { printf("third\n"); }
