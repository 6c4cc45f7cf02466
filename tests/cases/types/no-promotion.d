/*
 * An operation has the type of its operand of the higher rank: there is no
 * promotion to int.
 * @@args: -q
 */
unsigned char c;
short s;
char k;

BEGIN
{
	c = 254;
	s = 300;
	k = 100;
	printf("%d %d\n", c + c, sizeof (c + c));
	printf("%d %d\n", c + s, sizeof (c + s));
	printf("%d %d\n", k + k, sizeof (k + k));
	printf("%d %d\n", c + 1, sizeof (c + 1));
	printf("%d %d\n", sizeof (-c), sizeof (c << 1));
	printf("%d %d\n", (c + c) == 508, (_Bool)1 + (_Bool)1);
	exit(0);
}
