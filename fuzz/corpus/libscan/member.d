/*
 * A member of a translation is the translator's expression for it.
 * @@args: -q
 */
struct raw {
	int r_pid;
	char r_name[8];
	long r_size;
};
struct nice {
	int n_pid;
	string n_name;
	char n_short[4];
	long n_kilobytes;
	int n_bits : 5;
	int n_none;
};
translator struct nice < struct raw r > {
	n_pid = r.r_pid + 1;
	n_name = stringof(r.r_name);
	n_short = r.r_name;
	n_kilobytes = r.r_size / 1024;
	n_bits = 9;
};
struct raw raw;

BEGIN
{
	raw.r_pid = 41;
	raw.r_name[0] = 'd';
	raw.r_name[1] = 'i';
	raw.r_name[2] = 's';
	raw.r_name[3] = 'k';
	raw.r_size = 4096;
}

BEGIN
{
	printf("%d %s %s %d %d\n", xlate <struct nice> (raw).n_pid,
	    xlate <struct nice> (raw).n_name, xlate <struct nice *> (raw)->n_short,
	    xlate <struct nice *> (raw)->n_kilobytes,
	    xlate <struct nice> (raw).n_bits);
	exit(0);
}
