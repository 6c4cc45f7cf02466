/*
 * Arguments in registers, on the stack, in memory and as numbers, by notes
 * alone: their types are those of their sizes.
 * @@args: -q
 * @@run: $PROGS/sdtapp 3 0 quiet
 */
sdtapp$target:::forms
{
	printf("%d %s %d %d %d %d\n", arg0, copyinstr(arg1), arg2, arg3, arg4,
	    arg5);
	printf("%d %d %d %d %d\n", args[0] - 1, args[2] + 1, args[3] < 0,
	    args[4], args[5]);
}
