/*
 * Comments are blanks, wherever blanks may stand.
 * @@args: -q
 */
BEGIN /* a */ /* / { */
{	/* printf("no"); */
	printf("%d\n", /* 1 */ 2);
	printf("/* not a comment */\n");
	exit(/**/0/***/);
}
/* the end */
