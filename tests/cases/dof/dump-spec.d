/*
 * Speculations, and the clauses that an `if` makes, as DOF.
 * @@args: -q -e --dump=dof
 */
syscall::read:entry,
syscall::write:entry
{
	self->spec = speculation();
	speculate(self->spec);
	printf("%d", arg0);
}

syscall::read:return
/self->spec/
{
	if (arg0 < 0) {
		commit(self->spec);
	} else {
		discard(self->spec);
	}
}
