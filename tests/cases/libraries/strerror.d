/*
 * strerror() and errname() are the text and the name of an error number, also
 * of a negative one, and of one that the kernel keeps for itself; signame() is
 * the name of a signal.
 * @@args: -q
 */
int n;

BEGIN
{
	n = 2;
	printf("%s, %s, %s\n", strerror(n), errname(n), signame(n));
	n = -13;
	printf("%s, %s, %s\n", strerror(n), errname(n), signame(n));
	printf("%s, %s\n", strerror(errno), errname(errno));
	n = 4096;
	printf("%s, %s, %s\n", strerror(n), errname(-n), signame(n));
	printf("%s %s %s %s\n", signame(SIGTERM), signame(34), signame(0),
	    errname(EWOULDBLOCK));
	n = -ERESTARTSYS;
	printf("%d %s, %s\n", n, strerror(n), errname(n));
	@[errname(ENOENT)] = count();
	printf("%s\n", strlen(strerror(n)) > 0 && errname(2) == "ENOENT" ?
	    "strings" : "");
	exit(0);
}
