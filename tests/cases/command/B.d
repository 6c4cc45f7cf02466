/*
 * -B passes the output through a function: it stays the same to the byte, with
 * -o and before what system() prints, and a full disk is reported.
 */
BEGIN
{
	@["a key"] = quantize(17);
	printf("%s\n", "first");
	system("echo second");
	trace("third");
	exit(3);
}
