/*
 * setopt() changes a dynamic option from its place in the output on; without
 * a value it sets a flag.
 */
BEGIN
{
	@[1] = sum(10);
	@[2] = sum(20);
	printa(@);
	setopt("quiet");
	printa(@);
	setopt("aggsortrev", "on");
	printa(@);
	setopt("aggsortrev", strjoin("o", "ff"));
	printa("%d %@d\n", @);
	trace("last");
	exit(0);
}
