/*
 * A program of 32 bits has its arguments on the stack, wherever in the entry
 * sequence the probe is.
 * @@args: -q
 * @@needs: prog:calls32 bits32
 * @@run: $PROGS/calls32
 * @@kernel: 32-bit processes cannot be entered, and are refused by name
 */
pid$target:a.out:fn_sum:entry { printf("%d %d %d\n", arg0, arg1, arg2); }
pid$target:a.out:fn_sum:return { printf("+%x %d\n", arg0, arg1); }
