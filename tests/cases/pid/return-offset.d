/*
 * At a return arg0 is the offset of the instruction that leaves the function:
 * of a function with two exits, and of one with a tail call by a condition;
 * arg1 is the value.
 * @@args: -q
 * @@needs: prog:calls
 * @@run: $PROGS/calls counts once 2
 */
pid$target:a.out:fn_two_exits:return
{
	printf("%s+%x %d %d\n", probefunc, arg0, arg1, arg2);
}

pid$target:a.out:fn_cond_tail:return
{
	printf("%s+%x\n", probefunc, arg0);
}
