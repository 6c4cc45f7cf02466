/*
 * The vdso is no file: the kernel plants nothing there.
 * @@needs: prog:calls
 * @@run: $PROGS/calls counts once 1
 */
pid$target:\[vdso]:__vdso_time:entry { }
