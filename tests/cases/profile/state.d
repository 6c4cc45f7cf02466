/*
 * profile, tick, BEGIN, END and ERROR see and change the same variables, in
 * the thread that is sampled: its self-> variables are the program's.
 * @@args: -q
 * @@needs: prog:spin
 * @@run: $PROGS/spin 0 3
 */
BEGIN
{
	over = 0;
	total = 1000;
	done = 0;
	names["spin"] = 1;
}

profile-997
/pid == $target/
{
	total++;
	self->mine++;
	wrong += self->mine != total - 1000 || names[execname] != 1 ||
	    execname != "spin" || ipl != 2;
	@per[tid == pid] = count();
}

profile-997
/pid == $target && total == 1010/
{
	this->bad = *(int *)8;
}

ERROR
{
	printf("fault %d at 0x%x after %d\n", arg4, arg5, total - 1000);
	self->told = 1;
}

profile-997
/pid == $target && self->told && !done/
{
	done = speculation();
	speculate(done);
	printf("speculated\n");
}

tick-10ms
/total > 1020 && done/
{
	commit(done);
	done = 0;
	over = 1;
}

tick-10ms
/over/
{
	exit(0);
}

END
{
	printf("%d wrong\n", wrong);
	printa("%d\n", @per);
}
