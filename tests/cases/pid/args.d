/*
 * Arguments come from registers and the stack, as the ABI says, wherever in the
 * entry sequence the probe is; a return has the value in arg1.
 * @@args: -q
 * @@needs: prog:calls
 * @@run: $PROGS/calls counts once 1
 */
pid$target:a.out:fn_args:entry
{
	printf("%d %d %d %d %d %d %d %d %d %d\n", arg0, arg1, arg2, arg3, arg4,
	    arg5, arg6, arg7, arg8, arg9);
}

pid$target:a.out:fn_args:return
{
	printf("%d\n", arg1);
}
