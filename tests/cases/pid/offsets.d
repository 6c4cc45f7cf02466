/*
 * A probe by offset fires before the instruction there: each instruction of a
 * function, in order, by a pattern, and one by its number.
 * @@args: -q
 * @@needs: prog:calls
 * @@run: $PROGS/calls counts once 1
 */
pid$target:a.out:fn_endbr:[0-9]*
{
	printf("%s\n", probename);
}

pid$target:a.out:fn_endbr:0x5
{
	printf("5 again, arg0 %d\n", arg0);
}
