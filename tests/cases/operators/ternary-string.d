/*
 * ?: may choose between strings.
 * @@args: -q
 */
BEGIN
{
	this->z = 0;
	printf("%s\n", this->z ? "yes" : "no");
	printf("%s\n", pid > 0 ? "yes" : "no");
	this->s = this->z == 0 ? "zero" : "other";
	printf("%s\n", this->s);
	exit(0);
}
