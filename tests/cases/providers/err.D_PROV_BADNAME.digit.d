/*
 * A provider's name cannot end in a digit.
 * @@needs: nothing
 */
provider myprog2 {
	probe a(int);
};
BEGIN { exit(0); }
