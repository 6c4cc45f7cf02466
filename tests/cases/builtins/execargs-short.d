/*
 * execargs holds at most strsize bytes, like every string.
 * @@args: -q -x strsize=8
 * @@needs: prog:calls
 * @@run: $PROGS/calls counts once 1
 */
pid$target:a.out:fn_nop:entry
{
	printf("%d %s\n", strlen(execargs), substr(execargs, 0, 1));
}
