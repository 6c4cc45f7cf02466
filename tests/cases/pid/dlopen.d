/*
 * A library that is loaded while it is traced is traced from its constructor
 * on, each time that it is loaded.
 * @@args: -q -Z -x aggsortkey
 * @@needs: prog:loads cpus:2
 * @@run: $PROGS/loads $PROGS/loaded.so 50
 */
pid$target:loaded.so:fn_loaded:entry, pid$target:loaded:fn_load*:return
{
	@[probename, probemod] = count();
}
END { printa("%s %s %@d\n", @); }
