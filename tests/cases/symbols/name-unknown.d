/*
 * An address behind the kernel's code is not its last function's, be there
 * symbols of data or not, and one behind all of the kernel has no name.
 * @@args: -q
 * @@needs: root bpf
 */
BEGIN
{
	sym($1);
	mod($1);
	func($2);
	printf("\n%a %a\n", $1, $2);
	@[sym($1), mod($2)] = count();
	exit(0);
}
