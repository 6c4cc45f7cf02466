/*
 * A string is a pointer to its characters in expressions: indexed, added to,
 * assigned to a char *, loaded through.
 * @@args: -q
 */
char *p;

BEGIN
{
	s = "hello";
	printf("%c%c %d\n", s[1], "abc"[2], sizeof (s[0]));
	printf("%s %s\n", stringof(s + 1), (string)(2 + s));
	printf("%c %d\n", *s, s[5] == 0);
	p = probename;
	printf("%s %c %s\n", stringof(p), p[2], stringof(&p[3]));
	self->s = "thread";
	a["k"] = "element";
	this->s = "local";
	printf("%c%c%c\n", self->s[0], a["k"][1], this->s[2]);
	printf("%c %s\n", probeprov[0], stringof(probeprov + 1));
	printf("%d\n", (s + 3) - (char *)s);
	printf("%c\n", strjoin("xy", "z")[2]);
	printf("%d\n", execname[0] == (stringof(execname))[0]);
	printf("%c\n", strlen(s) > 2 ? s[strlen(s) - 1] : '?');
	exit(0);
}
