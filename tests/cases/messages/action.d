/*
 * An action that is used as a value: the message of the place, and below it
 * why.
 * @@needs: nothing
 */
BEGIN /trace(1)/
{
	trace(1 + trace(2));
	printf("%d", exit(0));
	if (trace(1))
		exit(0);
	x = pid ? trace(1) : 2;
	@a = sum(trace(1));
	@b[trace(1)] = count();
	printf("%d", @b);
}
