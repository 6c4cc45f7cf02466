/*
 * args[] of a probe whose definition has translated arguments, and others in
 * another order; the definition comes along as a script.
 * @@args: -q
 */
usdtapp$target:::request-done
{
	printf("%d %d %s %d\n", args[0]->ri_id, args[0]->ri_twice,
	    args[0]->ri_path, args[1]->r_len);
}
usdtapp$target:::swapped
{
	printf("%s %d\n", copyinstr((uintptr_t)args[0]), args[1]);
}
