#!/usr/sbin/dtrace -s
/*
 * str-replace.d: one letter in a text replaced by another text: what is
 * before, what comes instead, what is after.
 *
 * @@load: prog known str
 * @@truth: output
 * @@check: lines[0] == os.popen("echo '/nonexistent/known path' | sed 's/
 *     /%20/'").read().strip()
 */

#pragma D option quiet

syscall::access:entry
/pid == $target/
{
	self->path = arg0;
}

syscall::access:return
/self->path/
{
	this->s = copyinstr(self->path);
	this->at = index(this->s, " ");
	printf("%s\n", strjoin(strjoin(substr(this->s, 0, this->at), "%20"),
	    substr(this->s, this->at + 1)));
}
