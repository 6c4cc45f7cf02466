#!/usr/sbin/dtrace -s
/*
 * str-numbers.d: numbers to texts and back, in bases from 2 to 36.
 *
 * @@load: sh :
 * @@how: self
 * @@needs: cmd:bc
 * @@truth: output
 * @@check: out.split() == os.popen("for b in 2 16 36; do echo \"obase=$b;
 *     ibase=10; 48879\" | bc | tr A-Z a-z; done").read().split()[:1] + ["0x" +
 *     os.popen("echo 'obase=16; 48879' | bc").read().strip().lower(),
 *     "-48879", "48879", "-123", "48879", str(int("zz", 36)), str(int("101",
 *     2)), str(int("755", 8))]
 */

#pragma D option quiet

BEGIN
{
	printf("%s %s %s %s ", lltostr(48879, 2), lltostr(48879, 16),
	    lltostr(-48879), lltostr(48879, 10));
	printf("%d %d %d %d %d\n", strtoll("-123"), strtoll("0xbeef", 16),
	    strtoll("zz", 36), strtoll("101", 2), strtoll("755", 8));
	exit(0);
}
