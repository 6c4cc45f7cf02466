/*
 * json finds the value at a path of keys and indices.
 * @@args: -q
 */
string doc;

BEGIN
{
	doc = "{ \"a\": { \"b\": [ {\"c\": \"deep\"}, -1.5e3, [true, null] ] }, ";
	doc = strjoin(doc, "\"k\\\"1\": \"q\\\"\\u00e9\", \"n\": 7 }");
	printf("%s\n", json(doc, "a.b[0].c"));
	printf("%s\n", json(doc, "a.b[1]"));
	printf("%s\n", json(doc, "a.b[2][0]"));
	printf("%s\n", json(doc, "a.b[2][1]"));
	printf("%s\n", json(doc, "a.b[2]"));
	printf("%s\n", json(doc, "a.b[0]"));
	printf("%s\n", json(doc, "n"));
	printf("%s\n", json(doc, "k\\\"1"));
	printf("%s\n", json("[1, [2, 3]]", "[1][0]"));
	printf("%s\n", json("[1, [2, 3]]", "1[1]"));
	printf("[%s]\n", json("{\"a\":\"\"}", "a"));
	printf("%d\n", strtoll(json(doc, "n")) + 1);
	exit(0);
}
