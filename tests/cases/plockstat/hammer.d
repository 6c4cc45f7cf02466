/*
 * Threads that contend for a mutex lose no event, and each block has its
 * blocked.
 * @@args: -q -x aggsortkey
 * @@needs: prog:locks
 * @@run: $PROGS/locks hammer
 */
plockstat$target:::mutex-acquire { @[usym(arg0), "acquire"] = sum(1); }
plockstat$target:::mutex-release { @[usym(arg0), "release"] = sum(1); }
plockstat$target:::mutex-block { @[usym(arg0), "block"] = sum(1); }
plockstat$target:::mutex-blocked { @[usym(arg0), "block"] = sum(-1); }
BEGIN { printf("\n"); }
END { printa("%A %s %@d\n", @); }
