/*
 * trunc(@, n) keeps the n greatest, trunc(@, -n) the n least.
 * @@args: -q
 */
BEGIN
{
	@a["a"] = sum(1);
	@a["b"] = sum(2);
	@a["c"] = sum(3);
	@b["a"] = sum(1);
	@b["b"] = sum(2);
	@b["c"] = sum(3);
	exit(0);
}

END
{
	trunc(@a, 2);
	trunc(@b, -2);
	printa("%s %@d\n", @a);
	printa("%s %@d\n", @b);
}
