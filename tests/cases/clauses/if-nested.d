/*
 * if nests, under a predicate too.
 * @@args: -q
 */
BEGIN
/pid > 0/
{
	a = 1;
	b = 0;
	if (a) {
		if (b) {
			printf("both\n");
		} else {
			printf("a only\n");
		}
		@ = count();
	}
	printf("after\n");
	exit(0);
}
