/*
 * A place of fork() that cannot be watched is reported as what it means.
 * Nothing is said of cancellable calls, which make no process.
 * @@args: -q -x substrate=process -x follow
 * @@needs: prog:pinned
 * @@run: $PROGS/pinned
 */
pid$target:a.out:work:entry { printf("%d\n", arg0); }
