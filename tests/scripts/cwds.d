#!/usr/sbin/dtrace -s
/*
 * cwds.d: files that are opened by names without a directory, with it.
 *
 * @@load: toil opens 7
 * @@truth: load
 * @@check: n(os.getcwd() + "/here") == 8 and n(os.getcwd() + "/report.json") == 1
 */

#pragma D option quiet

dtrace:::BEGIN
{
	printf("Tracing... Hit Ctrl-C to end.\n");
}

syscall::openat:entry
/execname == "toil"/
{
	self->p = arg1;
}

syscall::openat:return
/self->p/
{
	this->name = copyinstr(self->p);
	this->full = substr(this->name, 0, 1) == "/" ? this->name :
	    strjoin(strjoin(cwd, "/"), this->name);
	@[cleanpath(this->full)] = count();
	self->p = 0;
}
