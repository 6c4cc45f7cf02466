/*
 * A struct is copied into memory that is the clause's own; a variable without
 * any gets zeros before a member of it is written.
 */
struct pair {
	int a;
	int b;
};
struct pair g;
BEGIN
{
	this->p = (struct pair *)alloca(sizeof (struct pair));
	*this->p = g;
	g.b = 3;
}
