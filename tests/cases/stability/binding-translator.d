/*
 * In libraries of other systems, pragmas in front of a translator name it by
 * the keyword.
 * @@args: -q
 */
struct mine {
	int twice;
};

#pragma D binding "1.0" translator
#pragma D attributes Evolving/Evolving/Common translator
translator struct mine < int i > {
	twice = 2 * i;
};

BEGIN
{
	printf("%d\n", xlate <struct mine> (4).twice);
	exit(0);
}
