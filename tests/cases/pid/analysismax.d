/*
 * The cost of analysing a program's file is limited: a file that takes more is
 * refused by name, with the limit and the option that raises it.
 * @@needs: prog:calls
 */
pid$target:a.out:main:entry
{
	printf("traced\n");
	exit(0);
}
