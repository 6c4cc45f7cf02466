/*
 * Kernel symbols are refused by name.
 */
BEGIN
{
	trace(`jiffies);
}
