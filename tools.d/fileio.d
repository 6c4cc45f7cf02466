#!/usr/sbin/dtrace -s
/*
 * fileio [PROGRAM]: bytes that programs read and write, by file
 *
 * PROGRAM selects those of that name.  Pipes and sockets are files, too;
 * all pipes of a program are one row, and so are its sockets.
 */
#pragma D option quiet
#pragma D option defaultargs

syscall::read:entry,
syscall::pread64:entry,
syscall::readv:entry,
syscall::write:entry,
syscall::pwrite64:entry,
syscall::writev:entry
/$$1 == "" || execname == $$1/
{
	self->has_file = 1;
	self->fd = arg0;
}

syscall::read:return,
syscall::pread64:return,
syscall::readv:return,
syscall::write:return,
syscall::pwrite64:return,
syscall::writev:return
/self->has_file && errno == 0 && getf(self->fd) != NULL/
{
	this->path = d_path(&getf(self->fd)->f_path);
	this->file = index(this->path, "pipe:[") == 0 ? "pipe" :
	    index(this->path, "socket:[") == 0 ? "socket" : this->path;
	@calls[this->file, execname, probefunc] = count();
	@bytes[this->file, execname, probefunc] = sum((long)arg1);
}

syscall::read:return,
syscall::pread64:return,
syscall::readv:return,
syscall::write:return,
syscall::pwrite64:return,
syscall::writev:return
{
	self->has_file = 0;
}

END
{
	printf("%-40s %-16s %-10s %10s %14s\n", "FILE", "PROGRAM",
	    "CALL", "CALLS", "BYTES");
	printa("%-40s %-16s %-10s %@10d %@14d\n", @calls, @bytes);
}
