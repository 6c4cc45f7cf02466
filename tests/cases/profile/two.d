/*
 * Several processes of one script are sampled, and share its variables; each
 * thread has its own.  Both are on CPU 0 (at first they may be elsewhere).
 * @@args: -q -x aggpercpu -c "$PROGS/spin 0 1"
 * @@needs: prog:spin
 * @@run: $PROGS/spin 0 1
 */
BEGIN
{
	n = 0;
	wrong = 0;
	seen[0] = 0;
}

profile-997
/execname == "spin" && ppid == $pid && cpu == 0 && !seen[pid]/
{
	seen[pid] = ++n;
	self->number = n;
	@ = max(n);
}

profile-997
/execname == "spin" && ppid == $pid/
{
	wrong += self->number != seen[pid];
}

END
{
	printf("%d programs, %d wrong\n", n, wrong);
}
