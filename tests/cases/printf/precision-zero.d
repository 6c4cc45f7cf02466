/*
 * A precision of 0 counts as none, except for floating-point numbers.
 * @@args: -q
 */
BEGIN
{
	printf("[%.0s] [%.s] [%.*s] [%.2s] [%.0d] [%5.0s]\n", "abc", "abc", 0,
	    "abc", "abc", 0, "abc");
	exit(0);
}
