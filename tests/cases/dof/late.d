/*
 * late=dynamic: a script compiled without its translators is saved with
 * references to them, and finds them in the libraries where it is run.
 * @@args: -q
 */
struct in v;

BEGIN
{
	v.x = 7;
	v.y = 3;
	a[xlate <struct out> (v).name, xlate <struct out> (v).sum] = 5;
	printf("%d %s %s %d %d\n", xlate <struct out> (v).sum,
	    xlate <struct out> (v).name, stringof(xlate <struct out> (v).text),
	    xlate <struct out> (v).big, xlate <struct out> (v).c);
	printf("%d %d\n", a["n7", 10],
	    xlate <struct out> (v).sum * 100 + v.x - xlate <struct out> (v).big);
	@[xlate <struct out> (v).name] = sum(xlate <struct out> (-4).sum);
	exit(xlate <struct out> (1).sum);
}

END
/xlate <struct out> (v).big == 1 && xlate <struct out> (v).name == "n7"/
{
	printf("end");
}
