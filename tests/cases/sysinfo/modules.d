/*
 * A module comes and goes.
 * @@args: -q
 * @@needs: tracepoint:module_load
 * @@run: /bin/sh -c "busybox modprobe dummy; busybox rmmod dummy"
 */
sysinfo:::modload, sysinfo:::modunload
/progenyof($target)/
{
	@[probename] = sum(arg0);
}

END
{
	printa("%s %@d\n", @);
}
