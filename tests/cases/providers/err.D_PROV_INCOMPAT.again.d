/*
 * A provider cannot be defined again with other probes.
 * @@needs: nothing
 */
provider myprog {
	probe a(int);
};
BEGIN { exit(0); }
provider myprog {
	probe a(char);
};
BEGIN { exit(0); }
