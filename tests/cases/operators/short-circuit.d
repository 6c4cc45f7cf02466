/*
 * &&, || and ?: evaluate only what they need; ^^ evaluates both sides.
 * @@args: -q
 */
BEGIN
{
	x = 0;
	this->r = 0 && x++;
	this->r = 1 || x++;
	printf("%d\n", x);
	this->r = 1 && x++;
	this->r = 0 || x++;
	printf("%d\n", x);
	this->r = x ? x : x++;
	this->r = x == 0 ? x++ : 9;
	printf("%d %d\n", x, this->r);
	this->r = 1 ^^ x++;
	printf("%d %d\n", x, this->r);
	exit(0);
}
