/*
 * A shell's programs, one after the other, are traced from their first
 * instruction on.
 * @@args: -q -Z -x follow
 * @@needs: prog:family cpus:2
 * @@run: sh -c "for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do $PROGS/family 1; done"
 * @@alone: follow puts breakpoints into all processes
 */
pid$target:a.out:family_work:entry { @ = count(); }
END { printa("%@d\n", @); }
