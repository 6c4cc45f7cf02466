/*
 * Without any privilege, a script that needs no kernel runs in processes: on
 * request, and by default, but not when the kernel is requested; a script that
 * needs the kernel is refused by name, with the obstacle of each substrate.
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
