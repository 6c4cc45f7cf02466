/*
 * Option kernelbtf: types come from the given file, and nothing else; a file
 * that cannot be read is reported.
 */
this struct made m;
BEGIN
{
	this->m.wide = 0x1234567;
	printf("%d %d %d %d %d %x\n", sizeof (struct made), sizeof (odd_t),
	    offsetof(struct made, text), MADE, ONCE, this->m.wide);
	exit(0);
}
