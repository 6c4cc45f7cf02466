/*
 * The idiom: speculate per thread, commit when the call has failed.
 * @@args: -q
 * @@run: /bin/sh -c 'exec 2>/dev/null 3</nonexistent/path'
 */
syscall::openat:entry
/pid == $target && copyinstr(arg1) == "/nonexistent/path"/
{
	self->spec = speculation();
}
syscall::openat:entry
/self->spec/
{
	speculate(self->spec);
	printf("openat %s\n", copyinstr(arg1));
}
syscall::openat:return
/self->spec/
{
	speculate(self->spec);
	printf("errno %d\n", errno);
}
syscall::openat:return
/self->spec && errno != 0/
{
	commit(self->spec);
	self->spec = 0;
}
syscall::openat:return
/self->spec && errno == 0/
{
	discard(self->spec);
	self->spec = 0;
}
