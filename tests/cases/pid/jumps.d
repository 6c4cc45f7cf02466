/*
 * A call that ends with longjmp() does not return; the next one does.
 * @@args: -q
 * @@needs: prog:calls
 * @@run: $PROGS/calls counts raise
 */
pid$target:a.out:fn_jumps:entry, pid$target:a.out:fn_jumps:return
{
	printf("%s\n", probename);
}
