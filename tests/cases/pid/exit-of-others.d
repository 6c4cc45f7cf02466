/*
 * exit fires at returns of others that the function ends in, whoever called
 * them: fn_lea is also called 27 times by others here.  Patterns do not mean
 * it.
 * @@args: -q
 * @@needs: prog:calls
 * @@run: $PROGS/calls counts once 7
 */
pid$target:a.out:fn_lea:entry { @entries = count(); }
pid$target:a.out:fn_tail:exit { @exits = count(); }
pid$target:a.out:fn_tail:e* { @all[probename] = count(); }
END { printa("%@d %@d\n", @entries, @exits); printa("%s\n", @all); }
