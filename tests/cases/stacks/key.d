/*
 * ustack() is a key like any other: one stack is one key.
 * @@needs: prog:chain_fp
 */
syscall::getpriority:entry
/pid == $target && arg0 == 0x7001/
{
	@[ustack(2), "x"] = count();
	@[ustack(2), "x"] = count();
	@short[ustack(1)] = sum(arg2);
}
