/*
 * Objects that were compiled against other systems' <sys/sdt.h>, or headers of
 * their `dtrace -h`, call a function where they have a probe: they link with
 * what -G makes, as they are, and fire.
 * @@needs: nothing
 */
provider srv {
	probe begin();
	probe query__done(const char *, int);
	probe many(int, int, int, int, int, int, int, int);
	probe unused(int);
};
