/*
 * The buffers of aggregations are taken at each aggrate: more keys than fit
 * into aggsize are lost only when they come faster: here, if nothing is taken
 * for four seconds.  What clear() and trunc() do they do to what was taken as
 * well.
 * @@args: -q -x aggrate=10ms -x aggsize=900
 */
int n;

tick-200ms
/n < 30/
{
	@[n] = count();
	@s[n % 7, "x"] = sum(n);
	n++;
}

tick-200ms
/n == 30/
{
	trunc(@, 3);
	printa("%d: %@d\n", @);
	printa("%d %s: %@d\n", @s);
	exit(0);
}
