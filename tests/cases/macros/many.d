/*
 * Arguments beyond the ninth have two digits.
 * @@args: -q
 * @@operands: 1 2 3 4 5 6 7 8 9 10 10
 */
BEGIN
{
	printf("%d\n", $1 + $2 + $3 + $4 + $5 + $6 + $7 + $8 + $9 + $10 * $11);
	exit(0);
}
