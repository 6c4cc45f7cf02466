/*
 * host is the empty string while a machine is traced, as a value, as a key and
 * among thread-local strings; a replay has the name of the recorded machine.
 * @@args: -q
 */
BEGIN
{
	printf("'%s' %d %d\n", host, strlen(host), host == "");
	printf("'%s'\n", strjoin(host, strjoin("-", host)));
	self->host = host;
	@keys[host, self->host == host ? "same" : "other"] = count();
	exit(0);
}
