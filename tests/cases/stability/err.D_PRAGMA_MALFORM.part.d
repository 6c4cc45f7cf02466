/*
 * A provider has attributes for five parts.
 * @@needs: nothing
 */
provider myprog {
	probe a(int);
};
BEGIN { exit(0); }
#pragma D attributes Stable/Stable/Common provider myprog probes
