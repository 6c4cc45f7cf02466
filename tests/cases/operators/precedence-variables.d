/*
 * Precedence holds for what is computed when a probe fires.
 * @@args: -q
 */
BEGIN
{
	this->a = 2;
	this->b = 3;
	this->c = 4;
	printf("%d\n", this->a + this->b * this->c);
	printf("%d\n", (this->a + this->b) * this->c);
	printf("%d\n", this->a - this->b - this->c);
	printf("%d\n", this->a << this->b + 1);
	printf("%d\n", this->a < this->b == this->b < this->c);
	printf("%d\n", this->a | this->b & this->c);
	printf("%d\n", this->a == 2 ^^ this->b == 3 && this->c == 0);
	exit(0);
}
