/*
 * bcopy, copyinto and copyout give nothing.
 */
BEGIN
{
	trace(bcopy("a", "b", 1));
}
