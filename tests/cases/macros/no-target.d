/*
 * Without -c and -p there is no target: $target is 0, $$target is "0".
 * @@args: -q
 */
BEGIN { printf("%d %s %d\n", $target, $$target, pid == $target); exit(0); }
syscall:::entry /pid == $target/ { printf("never\n"); }
