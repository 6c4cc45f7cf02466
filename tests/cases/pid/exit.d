/*
 * exit is where the caller goes on, with the value, whichever function the
 * traced one ended in.
 * @@args: -q
 * @@needs: prog:calls
 * @@run: $PROGS/calls counts once 7
 */
pid$target:a.out:fn_cond_tail:entry
{
	self->sp = uregs[R_SP];
}
pid$target:a.out:fn_cond_tail:exit
/self->sp == uregs[R_SP]/
{
	printf("%d\n", arg1);
	self->sp = 0;
}
