/*
 * Releases by themselves: also those by threads that begin to wait for a
 * condition; a wait that does not begin is none.
 * @@args: -q -x aggsortkey
 * @@needs: prog:locks
 * @@run: $PROGS/locks cond
 */
plockstat$target:::mutex-release { @[usym(arg0), args[1]] = count(); }
END { printa("%A %d %@d\n", @); }
