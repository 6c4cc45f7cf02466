/*
 * A string that was never set is NULL, equals "", and prints as "".
 * @@args: -q
 */
string global;
self string typed;
BEGIN
{
	self->path = "x";
	a[1] = "y";
	self->path = NULL;
	a[1] = NULL;
}
BEGIN
/self->path != NULL/
{
	printf("set\n");
}
BEGIN
/self->path == NULL && a[1] == NULL && self->typed == NULL/
{
	printf("NULL\n");
}
BEGIN
/self->path == "" && a[2] == "" && global == ""/
{
	printf("[%s] [%s] [%s] [%s]\n", self->path, a[2], global, self->typed);
	@[self->path, a[7]] = count();
	printa("[%s] [%s] %@d\n", @);
}
BEGIN
{
	self->path = "/etc";
}
BEGIN
/self->path != NULL && self->path != ""/
{
	printf("%s\n", self->path);
	exit(0);
}
