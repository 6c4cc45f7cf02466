/*
 * A module without types of its own, as one that was built outside the kernel's
 * tree may be: its functions have arg0 and arg1, and no args[].
 * @@needs: ksym:register_kprobe cmd:objcopy cmd:ip
 */
fbt:nlmon:nlmon_setup:entry
{
	@calls[probemod, probefunc, arg0 != 0] = count();
}

fbt:nlmon:nlmon_*:return
/probefunc == "nlmon_open"/
{
	@calls[probename, probefunc, arg1] = count();
}

END
{
	printa("%s %s %d %@d\n", @calls);
}
