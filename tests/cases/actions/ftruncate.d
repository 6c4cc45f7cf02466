/*
 * ftruncate() empties the file that is written, and what follows begins it
 * anew; an output that is no file is reported.
 */
BEGIN
{
	freopen("out");
	printf("a long line that goes away\n");
	ftruncate();
	printf("short\n");
	freopen("");
	ftruncate();
	printf("end\n");
	exit(0);
}
