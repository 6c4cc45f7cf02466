/*
 * bcopy copies from anywhere into own memory.
 * @@args: -q
 */
string s;

BEGIN
{
	this->p = (char *)alloca(8);
	bcopy("abcdef", this->p, 6);
	bcopy(this->p + 1, this->p + 4, 2);
	printf("%s\n", stringof(this->p));
	s = "0123456789";
	bcopy("xyz", s, 3);
	printf("%s\n", s);
	bcopy("gone", s, 0);
	printf("%s\n", s);
	exit(0);
}
