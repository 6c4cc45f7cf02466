/*
 * -l and -T as JSON: a listed probe, with -v its arguments, and types.
 */
union value {
	int number;
	struct {
		unsigned int low : 3, high : 5;
	};
};
translator union value < int n > {
	number = n;
};
enum color { RED, BLUE = -3 };
BEGIN { exit(0); }
