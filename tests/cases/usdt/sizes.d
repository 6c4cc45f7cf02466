/*
 * Arguments of all sizes, signed and not, as numbers and by their types.
 * @@args: -q
 * @@run: $PROGS/usdtapp 0 0 quiet
 */
usdtapp$target:::sizes
{
	printf("%d %d %d %d %d %d %d %d %d %d\n", arg0, arg1, arg2, arg3, arg4,
	    arg5, arg6, arg7, arg8, arg9);
	printf("%d %d %d %d %d %u %d %u %u\n", args[0], args[1], args[2],
	    args[3], args[4], args[5], args[6], args[7], args[8]);
}
