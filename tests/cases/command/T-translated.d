/*
 * -T shows the types that the members of a translation have, and why a member
 * has no value.
 */
struct pair {
	int first;
	string second;
	int third;
};

translator struct pair < int n > {
	first = (short)n;
	second = "a";
};

translator struct pair < string s > {
	third = strlen(s);
};

BEGIN { exit(0); }
