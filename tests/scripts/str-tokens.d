#!/usr/sbin/dtrace -s
/*
 * str-tokens.d: strtok() with two separators goes through a line of
 * /etc/passwd's form.
 *
 * @@load: sh :
 * @@how: self
 * @@truth: output
 * @@check: lines[0].split("|") == re.split("[:,]",
 *     "root:x:0:0:Super,User:/root:/bin/sh") + ["end"]
 */

#pragma D option quiet

BEGIN
{
	printf("%s|", strtok("root:x:0:0:Super,User:/root:/bin/sh", ":,"));
	printf("%s|", strtok(NULL, ":,"));
	printf("%s|", strtok(NULL, ":,"));
	printf("%s|", strtok(NULL, ":,"));
	printf("%s|", strtok(NULL, ":,"));
	printf("%s|", strtok(NULL, ":,"));
	printf("%s|", strtok(NULL, ":,"));
	printf("%s|", strtok(NULL, ":,"));
	printf("%s\n", strtok(NULL, ":,") == NULL ? "end" : "more");
	exit(0);
}
