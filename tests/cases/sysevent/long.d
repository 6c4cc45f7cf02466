/*
 * The class is not known if the text before it is too long for a string; the
 * longest that is not too long: add@/devices/virtual/net/lo.
 * @@args: -q -x strsize=27
 * @@needs: ksym:register_kprobe cmd:python3
 */
sysevent:::post
/pid == $target/
{
	@[args[1]->se_class, args[1]->se_subclass, args[1]->se_devpath] = count();
}

END
{
	printa("%s %s %s %@d\n", @);
}
