/*
 * print() shows text in UTF-8 as it is, in strings and arrays of characters,
 * whatever the locale, and escapes the rest.
 * @@args: -q
 */
typedef struct {
	char a[8];
	char b[4];
	string s;
} names_t;

names_t n;

BEGIN
{
	print("grüß\033\302\205\377");
	this->p = (names_t *)alloca(sizeof (names_t));
	bcopy("日本", this->p->a, 7);
	bcopy("é\033\0", this->p->b, 4);
	this->p->s = "日\n本";
	print(*this->p);
	exit(0);
}
