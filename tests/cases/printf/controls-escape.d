/*
 * With controls=escape, text of the traced system shows its control characters
 * and bytes that are no UTF-8 as escapes: in conversions, keys and trace(). The
 * script's own format, newlines and tabs stay, and so does a command's text.
 * @@args: -qw -x controls=escape -x strsize=16
 */
BEGIN
{
	trace("a\033[31mé\r\n");
	trace("\302\233");
	printf("\v[%-8s][%s][%c%c][%-6.3s]\n", "x\033", "\a\177\377", 27, 10,
	    "\033日b");
	@["k\033[2Jé"] = count();
	@a["\377"] = count();
	printa("%-10s %@d\n", @);
	printa(@);
	printa(@a);
	system("printf '%%s' '%s' | od -An -c", "\033é");
	setopt("controls", "raw");
	printf("%s\n", "\033");
	exit(0);
}
