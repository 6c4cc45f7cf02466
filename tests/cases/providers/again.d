/*
 * A provider may be defined again in the same words.
 * @@args: -q
 */
provider myprog {
	probe a(int);
};
BEGIN { exit(0); }
provider myprog {
	probe a(int);
};
END { ; }
