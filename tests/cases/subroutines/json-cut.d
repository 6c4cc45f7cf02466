/*
 * A text longer than strsize is cut: what is complete in it is found.
 * @@args: -q -x strsize=32
 */
BEGIN
{
	this->s = "{\"first\":1,\"second\":\"0123456789abcdef\",\"third\":3}";
	printf("%d\n", strlen(this->s));
	printf("%s\n", json(this->s, "first"));
	printf("%d\n", json(this->s, "second") == NULL);
	printf("%d\n", json(this->s, "third") == NULL);
	exit(0);
}
