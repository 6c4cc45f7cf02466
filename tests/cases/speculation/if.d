/*
 * speculate() holds to the end of its block, through every if in it.
 * @@args: -q
 */
BEGIN { a = speculation(); }
BEGIN
{
	speculate(a);
	printf("1");
	if (a == 1) {
		printf("2");
		if (a == 2) { printf("no"); } else { printf("3"); }
		printf("4");
	}
	printf("5\n");
}
BEGIN
{
	if (a == 1) { speculate(a); printf("6\n"); }
	printf("first, for it is not speculated on\n");
}
BEGIN { commit(a); }
BEGIN { exit(0); }
