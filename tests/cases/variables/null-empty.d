/*
 * NULL equals "": so $$1 == NULL asks whether there is an operand.
 * @@args: -q -x defaultargs
 */
string set;

BEGIN
{
	set = "";
	printf("%d %d %d %d\n", $$1 == NULL, NULL == "", set == NULL,
	    "" != NULL);
	set = "x";
	printf("%d %d %d\n", set == NULL, NULL != set, "a" == NULL);
	self->name = substr("abc", 3);
	a["k"] = "";
	printf("%d %d\n", self->name == NULL, a["k"] == NULL);
}

BEGIN
/$$2 == NULL && self->name == NULL/
{
	printf("absent\n");
	exit(0);
}
