/*
 * A declared type narrows what is stored in it.
 * @@args: -q
 */
char c;
unsigned char uc;
short s;
int i;
unsigned int ui;
BEGIN
{
	c = 200;
	uc = 300;
	s = 70000;
	i = 0x100000005;
	ui = -1;
	printf("%d %d %d %d %u\n", c, uc, s, i, ui);
	exit(0);
}
