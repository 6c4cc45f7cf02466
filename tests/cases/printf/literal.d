/*
 * Text around conversions is printed as it is.
 * @@args: -q
 */
BEGIN
{
	printf("a%db%sc\t|\\|\n", 1, "x");
	exit(0);
}
