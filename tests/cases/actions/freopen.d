/*
 * freopen() sends what is printed after it to a file, at its end, and
 * freopen("") back to the standard output; a name that cannot be opened is
 * told and changes nothing.
 */
BEGIN
{
	printf("first\n");
	freopen("%s.%d", "out", 7);
	printf("in the file\n");
	@["counted"] = count();
	printa(@);
	freopen("/nonexistent/%s", "out");
	printf("still in the file\n");
	freopen("");
	printf("back\n");
	exit(0);
}
