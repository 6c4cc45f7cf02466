/*
 * Text in UTF-8 is text.  Widths count columns, and so does a precision that is
 * written in the format; one that is an argument is a length in bytes.  Neither
 * cuts a character.
 * @@args: -q
 */
BEGIN
{
	trace("grüß");
	printf("\n[%-8s][%8s][%-6s][%.4s][%.3s]\n", "grüß", "日本", "é", "grüß",
	    "grüß");
	printf("[%-6.4s][%-4.3s][%-5.3s]\n", "日本語", "日本語", "e\314\201te\314\201");
	printf("[%.*s][%.*s]\n", 4, "grüß", 3, "grüß");
	printf("[%-6s][%-6s][%-6s]\n", "\377\376", "가각", "\342\200\213a");
	@["é", 1] = count();
	@["日本語.txt", 2] = count();
	@n["😀"] = sum(4);
	printa(@);
	printa("%-6s|%@d\n", @n);
	exit(0);
}
