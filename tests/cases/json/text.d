/*
 * Text comes through whole: quotes, control characters, UTF-8; what is not
 * UTF-8 (a lone byte, a surrogate, an overlong form) is base64.
 */
BEGIN
{
	trace("\"quoted\" \\ \t\n\001\177");
	trace("\303\251\342\202\254\360\237\230\200");
	trace("\377");
	trace("a\355\240\200z");
	trace("\300\257");
	trace("cut \342\202");
	printf("%s", "\200\201");
	@["\376"] = count();
	exit(0);
}
