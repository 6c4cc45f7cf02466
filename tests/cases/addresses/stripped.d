/*
 * A place of a stripped program is its offset in the module, which is the same
 * in every run: in frames, as uaddr(), in keys, in JSON and in folded stacks.
 * @@needs: prog:chain_fp
 */
syscall::getpriority:entry
/pid == $target && arg0 == 0x7001/
{
	trace(ustack(3));
	@[ustack(3), uaddr(ucaller)] = count();
}
