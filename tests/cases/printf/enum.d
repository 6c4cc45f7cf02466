/*
 * %s and %S show an enumerator by its name, a value without name as a number;
 * %d and %x show the number.
 * @@args: -q
 */
enum color { RED, GREEN = 5, BLUE, NEG = -3 };
typedef enum { FIRST = 1, SECOND } order_t;
struct s { enum color c; enum color f : 4; };
struct s v;

BEGIN
{
	this->c = (enum color)5;
	printf("[%s][%-8s][%8.3s][%d][%x]\n", this->c, this->c, this->c,
	    this->c, this->c);
	printf("[%S][%ls][%s][%d]\n", (enum color)-3, (enum color)99,
	    (enum color)-4, (enum color)-3);
	v.c = BLUE;
	v.f = RED;
	printf("%s %s %s\n", v.c, v.f, (order_t)2);
	printf("[%*s]\n", v.c, v.c);
	exit(0);
}
