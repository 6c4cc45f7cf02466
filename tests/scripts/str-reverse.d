#!/usr/sbin/dtrace -s
/*
 * str-reverse.d: A text of eight letters backwards, by its bytes.
 *
 * @@load: sh :
 * @@how: self
 * @@needs: cmd:rev
 * @@truth: output
 * @@check: out.split() == [os.popen("echo stressed | rev").read().strip(),
 *     "level", "is", "one"]
 */

#pragma D option quiet

BEGIN
{
	s = "stressed";
	this->r = (char *)alloca(9);
	this->r[0] = s[7];
	this->r[1] = s[6];
	this->r[2] = s[5];
	this->r[3] = s[4];
	this->r[4] = s[3];
	this->r[5] = s[2];
	this->r[6] = s[1];
	this->r[7] = s[0];
	this->r[8] = 0;
	printf("%s\n", stringof(this->r));
	w = "level";
	printf("%s %s one\n", w, w[0] == w[4] && w[1] == w[3] ? "is" : "is not");
	exit(0);
}
