/*
 * DTRACE_OPT_NAME in the environment sets an option.
 */
BEGIN
{
	s = "0123456789";
	printf("%s\n", s);
	exit(0);
}
