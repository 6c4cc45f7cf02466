/*
 * The subroutines at other sizes of strings, for each of which the kernel
 * checks the program anew; results end there.
 */
string s, doc;

BEGIN
{
	this->p = (uint64_t *)alloca(24);
	s = "/aB/../cDeF/ghijklmn/opqrstuvwxyz";
	doc = "[\"xy\",[12]]";
	printf("%s %s", cleanpath(s), toupper(s));
	printf(" %s", strtok(s, "/"));
	printf(" %s", strtok(NULL, "/"));
	printf(" %s", tolower(strtok(NULL, "/")));
	printf(" %d %s", strtoll("123456789"), json(doc, "0"));
	printf(" %s", inet_ntoa((ipaddr_t *)this->p));
	printf(" %s", inet_ntoa6(this->p + 1));
	printf(" %s", inet_ntop(2, this->p));
	printf(" %s", link_ntop(1, this->p));
	printf(" %s", uuidstr(this->p));
	bcopy(s, this->p, 8);
	printf(" %s\n", memstr(this->p, '-', 6));
	exit(0);
}
