/*
 * Without any privilege, processes run what needs no kernel: when asked to, and
 * by themselves, but not when the kernel is asked for; and what needs it is
 * refused by name, with what stands in the way of each.
 * @@needs: cmd:setpriv cmd:prlimit
 */
BEGIN
{
	@[probename, uid] = count();
	self->x = 40;
	a["two"] = 2;
}

tick-10ms
{
	printf("%s %d\n", probename, self->x + a["two"]);
	exit(0);
}
