/*
 * #ident lines and pragmas of others are ignored.
 * @@args: -q
 */
#ident "@(#)something"
#pragma ident "x"
#pragma weak nothing

BEGIN
{
	printf("ok\n");
	exit(0);
}
