/*
 * Events that are requested through sysfs, with a listener: of devices, a
 * module, and by several actions.
 * @@args: -q
 * @@needs: ksym:register_kprobe cmd:python3
 */
sysevent:::post
/pid == $target/
{
	@[args[0]->ec_name, args[1]->se_publisher, args[1]->se_class,
	    args[1]->se_subclass, args[1]->se_devpath] = count();
}

END
{
	printa("%s %s %s %s %s %@d\n", @);
}
