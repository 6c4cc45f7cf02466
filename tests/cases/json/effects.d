/*
 * system(), freopen(), ftruncate() and setopt() act and are reported.
 */
BEGIN
{
	system("echo %s", "ran");
	setopt("quiet");
	setopt("aggsortrev", "on");
	@[1] = sum(1);
	@[2] = sum(2);
	printa(@);
	exit(0);
}

END
{
	freopen("out.%d", 1);
	ftruncate();
}

END
{
	freopen("");
}
