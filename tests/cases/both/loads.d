/*
 * Probes in libraries that a process loads go to the part of their clause: one
 * shares a variable with the kernel's clause, the other runs in the process.
 * @@kernel: it is about both substrates
 * @@args: -q -Z -x substrate=both -x aggsortkey
 * @@needs: prog:loads cpus:2
 * @@run: $PROGS/loads $PROGS/loaded.so 50
 */
pid$target:loaded.so:fn_loaded:entry
{
	@[probename] = count();
}
pid$target:ld*:_dl_nothing:entry
{
	n++;
}
syscall:::entry
/pid == $target/
{
	n++;
}
END { printa("%s %@d\n", @); }
