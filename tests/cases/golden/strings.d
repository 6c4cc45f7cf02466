/*
 * Compiled and saved: subroutines that take and give strings.
 */
inline string where = "/usr/lib/x.so";

BEGIN
/strlen(where) > 3 && strstr(where, "lib") != NULL/
{
	this->base = basename(where);
	this->dir = substr(dirname(where), 1, 3);
	printf("%s %s %d %c %s\n", this->base, this->dir, index(where, "/", 2),
	    'x', strtok(where, "/"));
	printf("%10s|%-10.3s|%#x\n", toupper(this->base), this->dir, htons(80));
	exit(strtoll("0x10") == 16 ? 0 : 1);
}

syscall::openat:entry
/copyinstr(arg1) == "/etc/passwd"/
{
	self->path = copyinstr(arg1, 64);
	trace(cleanpath(self->path));
	self->path = 0;
}
