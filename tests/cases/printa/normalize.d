/*
 * normalize() divides what is printed, denormalize() undoes it.
 * @@args: -q
 */
BEGIN { @["a"] = sum(1000); @["b"] = sum(55); exit(0); }

END
{
	normalize(@, 10);
	printa("%s %@d\n", @);
	denormalize(@);
	printa("%s %@d\n", @);
}
