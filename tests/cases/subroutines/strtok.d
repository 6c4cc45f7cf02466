/*
 * strtok takes a string apart, with its state for the whole firing.
 * @@args: -q
 */
BEGIN
{
	printf("%s\n", strtok(",,one, two", ", "));
	self->x = strtok(NULL, ",");
	printf("[%s]\n", self->x);
	printf("%d\n", strtok(NULL, ",") == NULL);
	printf("%d\n", strtok(NULL, ",") == NULL);
}
BEGIN { s = "a=b;c=d"; printf("%s\n", strtok(s, ";")); s = "gone"; }
BEGIN { printf("%s\n", strtok(NULL, "=")); }
BEGIN { printf("%s\n", strtok(NULL, "")); }
BEGIN { printf("%d\n", strtok("---", "-") == NULL); exit(0); }
