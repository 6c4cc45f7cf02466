/*
 * trace() shows an enumerator by its name, and an enumeration constant, whose
 * type is int, as a number.
 */
enum color { RED, GREEN };

BEGIN
{
	trace((enum color)1);
	trace((enum color)7);
	trace(GREEN);
	setopt("quiet");
	trace((enum color)1);
	exit(0);
}
