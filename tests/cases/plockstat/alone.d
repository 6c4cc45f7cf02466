/*
 * A single probe arms no more than it needs: the probe for readers and writers
 * sees nothing of mutexes.
 * @@args: -q
 * @@needs: prog:locks
 * @@run: $PROGS/locks rw
 */
plockstat$target:::rw-blocked { @[args[1], args[2]] = count(); }
