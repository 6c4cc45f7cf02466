/*
 * aggsortkeypos says which key comes first.
 * @@args: -q -x aggsortkey -x aggsortkeypos=1
 */
BEGIN
{
	@["a", 3] = sum(1);
	@["b", 1] = sum(2);
	@["c", 2] = sum(3);
	exit(0);
}

END { printa("%s %d %@d\n", @); }
