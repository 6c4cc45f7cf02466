/*
 * Names that functions have which cannot be probed, beside those that can: one
 * that must be found among the tracer's own, those of a pattern, and one with
 * trampolines (a name that has one listed function).
 * @@args: -q
 * @@needs: ksym:register_kprobe
 * @@run: dd if=/proc/kallsyms of=/dev/null bs=1 count=1 status=none
 */
fbt:vmlinux:s_start:entry,
fbt:vmlinux:s_stop:return
/pid == $target/
{
	@calls[probefunc, probename] = count();
}

fbt:vmlinux:p_next:entry,
fbt:vmlinux:t_*art:entry
/pid == $target/
{
	@calls["of the tracer", probefunc] = count();
}

END
{
	printa("%s %s %@d\n", @calls);
}
