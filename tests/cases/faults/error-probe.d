/*
 * ERROR's arguments tell the enabling, action, fault and address.
 * @@args: -q
 */
BEGIN { x = 1; trace(*(int *)8); }
BEGIN { exit(0); }

ERROR
{
	printf("%d %d %d %d %d\n", arg1, arg2, arg3 >= 0, arg4, arg5);
	printf("%s %s\n", probeprov, probename);
}
