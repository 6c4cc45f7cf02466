/*
 * What looking at a program's file may take is a limit: a file that takes more
 * is refused by name, with the limit and the option that raises it.
 * @@needs: prog:calls
 */
pid$target:a.out:main:entry
{
	printf("traced\n");
	exit(0);
}
