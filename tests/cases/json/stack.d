/*
 * A stack's frames have a module, a symbol and an offset, here and as
 * arguments and keys.
 */
BEGIN
{
	stack(2);
	printf("%k", stack(1));
	@[stack(1)] = count();
	exit(0);
}
