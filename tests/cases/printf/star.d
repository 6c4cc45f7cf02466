/*
 * * takes width and precision from the arguments.
 * @@args: -q
 */
BEGIN
{
	printf("[%*d]\n", 5, 42);
	printf("[%-*d]\n", 5, 42);
	printf("[%.*d]\n", 4, 42);
	printf("[%*.*d]\n", 6, 4, 42);
	printf("[%*s]\n", 5, "ab");
	printf("[%.*s]\n", 1, "ab");
	exit(0);
}
