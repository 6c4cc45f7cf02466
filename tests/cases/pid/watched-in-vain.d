/*
 * Places where only dtrace would watch are no places of the user's: nothing is
 * said if one cannot be probed.
 * @@args: -q -x substrate=process
 * @@needs: prog:pinned
 * @@run: $PROGS/pinned
 */
pid$target:a.out:work:entry { printf("%d\n", arg0); }
