/*
 * Entries and returns of many functions are traced at once, in several modules,
 * and calls are seen in the midst of them.
 * @@args: -q -x aggsortkey
 * @@needs: prog:calls
 * @@run: $PROGS/calls counts once 3
 */
pid$target:a.out::entry, pid$target:a.out::return, pid$target:libc:str*:entry,
pid$target:libc:str*:return { @all[probename] = count(); }
pid$target:a.out:fn_nop:entry, pid$target:a.out:fn_nop:return
{ @one[probename] = count(); }
END { printa("%s %@d\n", @one); trunc(@all); }
