/*
 * setopt() says why it cannot set an option, and the script goes on.
 * @@args: -q
 */
BEGIN
{
	setopt("bufsize", "1m");
	setopt("aggsortrew");
	setopt("aggsortpos", execname);
	setopt("stackindent");
	printf("goes on\n");
	exit(0);
}
