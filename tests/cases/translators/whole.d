/*
 * A translation as a value has all members; those without an expression are
 * zero.
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
	this->n = xlate <struct nice> (raw);
	printf("%d %s %s %d %d %d\n", this->n.n_pid, this->n.n_name,
	    stringof(this->n.n_short), this->n.n_kilobytes, this->n.n_bits,
	    this->n.n_none);
	exit(0);
}
