/*
 * Text in UTF-8 is text; widths count columns, and precision cuts no character.
 * @@args: -q
 */
BEGIN
{
	trace("grüß");
	printf("\n[%-8s][%8s][%-6s][%.4s][%.3s]\n", "grüß", "日本", "é", "grüß",
	    "grüß");
	@["é", 1] = count();
	@["日本語.txt", 2] = count();
	@n["😀"] = sum(4);
	printa(@);
	printa("%-6s|%@d\n", @n);
	exit(0);
}
