/*
 * Several processes of one script are sampled, and share its variables; each
 * thread has its own.  Both are on CPU 0 (at first they may be elsewhere).
 * @@args: -q -x aggpercpu -c "$PROGS/spin 0 1"
 * @@needs: prog:spin
 * @@run: $PROGS/spin 0 1
 */
BEGIN
{
	last = 0;
	has_met = 0;
	wrong = 0;
	seen[0] = 0;
}

profile-997
/execname == "spin" && ppid == $pid && cpu == 0 && !seen[pid]/
{
	seen[pid] = pid;
	self->pid = pid;
	@ = count();
}

/* One may be interrupted by the other anywhere in here. */
profile-997
/execname == "spin" && ppid == $pid/
{
	wrong += self->pid != seen[pid];
	has_met |= last != 0 && last != pid;
	last = pid;
}

END
{
	printf("%d wrong, has met: %d\n", wrong, has_met);
}
