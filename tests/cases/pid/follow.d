/*
 * With option follow, the probes of $target fire in what it forks (also twice,
 * by vfork(), by posix_spawn(), and where the parent has ended), and in what
 * these execute: every call is there, with the pid and the provider of the
 * process that made it.
 * @@args: -q -x follow -x aggsortkey
 * @@needs: prog:family cpus:2
 * @@run: $PROGS/family 3 lib 2 fork 2 5 lib 1 fork 1 7 end end vfork 11 end spawn 13 lib 3 end orphan 17 end
 * @@alone: follow puts breakpoints into all processes
 */
pid$target:a.out:family_work:entry
{
	@[pid == $target, probeprov == strjoin("pid", lltostr(pid)), probefunc] =
	    count();
	@providers[probeprov == "pid1" || probeprov == ""] = count();
	self->begun = timestamp;
}
pid$target:a.out:family_work:return
/self->begun != 0/
{
	@returns = count();
	self->begun = 0;
}
pid$target:libc.so.6:getpgid:entry { @lib[pid == $target] = count(); }
END
{
	printa("%d %d %s %@d\n", @);
	printa("%d %@d\n", @providers);
	printa("returns %@d\n", @returns);
	printa("lib %d %@d\n", @lib);
}
