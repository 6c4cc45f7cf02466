/*
 * The struct lacks the member.
 */
struct s { int a; };
BEGIN
{
	x = ((struct s *)arg0)->b;
}
