/*
 * Every entry and return of every function that the process has can be traced
 * at once, and calls are seen in the midst of them.
 * @@args: -q -x aggsortkey
 * @@needs: prog:calls
 * @@run: $PROGS/calls counts once 3
 */
pid$target:::entry, pid$target:::return { @all[probename] = count(); }
pid$target:a.out:fn_nop:entry, pid$target:a.out:fn_nop:return
{ @one[probename] = count(); }
END { printa("%s %@d\n", @one); trunc(@all); }
