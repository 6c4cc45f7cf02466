/*
 * A stack of the kernel and one of a program are different keys.
 */
BEGIN
{
	@[stack()] = count();
	@[ustack()] = count();
}
