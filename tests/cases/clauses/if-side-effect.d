/*
 * A condition is evaluated once, before its branches run.
 * @@args: -q
 */
BEGIN
{
	x = 1;
	if (x == 1) {
		x = 2;
		printf("then %d\n", x);
	} else {
		printf("else %d\n", x);
	}
	if (x++ == 2) {
		printf("again %d\n", x);
	}
	exit(0);
}
