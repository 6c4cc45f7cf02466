/*
 * profile finds the function that a program spends its time in, by the program
 * counter and by the stack.
 * @@args: -q
 * @@needs: prog:spin
 * @@run: $PROGS/spin 0 1
 */
profile-997
/pid == $target && arg1 != 0/
{
	@func[ufunc(arg1)] = count();
	@mod[umod(ucaller)] = count();
	@stack[ustack(2)] = count();
	@same[arg1 == uregs[R_RIP]] = count();
}

END
{
	trunc(@func, 1);
	trunc(@mod, 1);
	trunc(@stack, 1);
	printa("%A\n", @func);
	printa("%A\n", @mod);
	printa("%k", @stack);
	printa("%d\n", @same);
}
