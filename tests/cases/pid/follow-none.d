/*
 * Without option follow, the probes of $target fire in no other process.
 * @@args: -q
 * @@needs: prog:family
 * @@run: $PROGS/family 3 fork 2 5 end vfork 11 end spawn 13 end
 */
pid$target:a.out:family_work:entry { @[pid == $target] = count(); }
END { printa("%d %@d\n", @); }
