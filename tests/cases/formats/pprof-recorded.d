/*
 * A recording has the files that processes mapped: a replay's profile is that
 * of the run, with paths and build ids, and an address that nobody named is in
 * its module.
 * @@needs: prog:known
 */
syscall::getpriority:entry
/execname == "known"/
{
	@[ustack()] = count();
}
