#!/usr/sbin/dtrace -s
/*
 * opt-setopt.d: options that a clause sets: from then on lines are quiet and
 * rows reversed.
 *
 * @@load: prog known seq:5
 * @@truth: output
 * @@check: find(r"(\d) x$") == list("43210")
 */

BEGIN
{
	setopt("quiet");
	setopt("aggsortkey");
	setopt("aggsortrev", "true");
}

syscall::getpriority:entry
/pid == $target/
{
	@[arg1] = count();
}

END
{
	printa("%d x\n", @);
}
