/*
 * if and else choose between statements.
 * @@args: -q
 */
BEGIN
{
	x = 5;
	if (x > 3) {
		printf("big\n");
	} else {
		printf("small\n");
	}
	if (x > 10) {
		printf("huge\n");
	} else if (x > 4) {
		printf("medium\n");
		x = 1;
	} else {
		printf("tiny\n");
	}
	printf("%d\n", x);
	exit(0);
}
