#!/usr/sbin/dtrace -s
/*
 * agg-word-count.d: how often each word occurs in a text that is cut up by
 * strtok().
 *
 * @@load: sh :
 * @@how: self
 * @@truth: output
 * @@check: out.split() == os.popen("printf '%s\\n' to be or not to be that is
 *     the question to be | LC_ALL=C sort | uniq -c | awk '{ print $2, $1 }'"
 *     ).read().split()
 */

#pragma D option quiet
#pragma D option aggsortkey

BEGIN
{
	text = "to be or not to be that is the question to be";
	@[strtok(text, " ")] = count();
	@[strtok(NULL, " ")] = count();
	@[strtok(NULL, " ")] = count();
	@[strtok(NULL, " ")] = count();
	@[strtok(NULL, " ")] = count();
	@[strtok(NULL, " ")] = count();
	@[strtok(NULL, " ")] = count();
	@[strtok(NULL, " ")] = count();
	@[strtok(NULL, " ")] = count();
	@[strtok(NULL, " ")] = count();
	@[strtok(NULL, " ")] = count();
	@[strtok(NULL, " ")] = count();
	exit(0);
}

END
{
	printa("%s %@d\n", @);
}
