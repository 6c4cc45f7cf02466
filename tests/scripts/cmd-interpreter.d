#!/usr/sbin/dtrace -s
/*
 * cmd-interpreter.d: A script whose first line names its interpreter is run as
 * a program, with arguments.
 *
 * @@load: sh :
 * @@how: self
 * @@args: -w
 * @@truth: output
 * @@check: out.split() == ["7", "seven", "s.d"]
 */

#pragma D option quiet

BEGIN
{
	system("echo '#!/proc/%d/exe -qs' > s.d; chmod +x s.d", $pid);
	system("echo 'BEGIN { trace($1); trace(\" \");' >> s.d");
	system("echo 'trace($$2); trace(\" \");' >> s.d");
	system("echo 'trace(basename($$0)); exit(0); }' >> s.d");
	system("./s.d 7 seven");
	exit(0);
}
