/*
 * A function of a module, with the module's types.
 * @@args: -q
 * @@needs: ksym:register_kprobe btf:overlay
 * @@run: head -c 0 /etc/hostname
 */
fbt:overlay:ovl_open:entry
/pid == $target && stringof(args[1]->f_path.dentry->d_name.name) == "hostname"/
{
	@[probemod, probefunc] = count();
}

END
{
	printa("%s %s %@d\n", @);
}
