/*
 * A string is no address of an IPv4 address.
 */
BEGIN
{
	trace(inet_ntoa("1.2.3.4"));
}
