/*
 * freopen() appends the output after it to a file, and freopen("") sends it to
 * the standard output again; a name that cannot be opened is reported and
 * changes nothing.
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
