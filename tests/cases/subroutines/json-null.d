/*
 * json of a missing value, or of text that is no JSON, is NULL.
 * @@args: -q
 */
BEGIN
{
	this->s = "{\"a\": [1, {\"b\": 2}], \"c\": \"s\"}";
	printf("%d", json(this->s, "b") == NULL);
	printf("%d", json(this->s, "a[2]") == NULL);
	printf("%d", json(this->s, "a.b") == NULL);
	printf("%d", json(this->s, "a[1].c") == NULL);
	printf("%d", json(this->s, "a[0].b") == NULL);
	printf("%d", json(this->s, "c[0]") == NULL);
	printf("%d", json(this->s, "") == NULL);
	printf("%d", json("", "a") == NULL);
	printf("%d", json(NULL, "a") == NULL);
	printf("%d", json("{\"a\": }", "a") == NULL);
	printf("%d", json("{\"b\": 1 \"a\": 2}", "a") == NULL);
	printf("%d", json("{\"a\": 0x10}", "a") == NULL);
	printf("%d\n", json("7", "a") == NULL);
	exit(0);
}
