/*
 * %S escapes quotes, control characters and bytes that are no UTF-8, and leaves
 * characters alone.
 * @@args: -q
 */
BEGIN
{
	printf("%S\n", "grüß \"日本\" \\ \033[1m\t\302\205\377\303");
	printf("[%-6.4S][%.*S]\n", "日本語", 4, "日本語");
	exit(0);
}
