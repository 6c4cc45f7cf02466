/*
 * With controls=raw, and in files and pipes, conversions write the bytes of a
 * text as they are.
 * @@args: -q
 */
BEGIN
{
	printf("%s\n", "a\033[31m\r\377");
	setopt("controls", "raw");
	printf("%s\n", "a\033[31m\r\377");
	exit(0);
}
