/*
 * A stripped static program has no names of functions; that the vdso is not
 * mapped from a file is not the reason.
 * @@needs: prog:unnamed
 * @@run: $PROGS/unnamed
 */
pid$target::half:entry { }
