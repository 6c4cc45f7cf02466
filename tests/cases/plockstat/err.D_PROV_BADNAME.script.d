/*
 * Only a library can make a provider for each process out of others.
 * @@needs: prog:locks
 * @@run: $PROGS/locks rw
 */
provider mylock$target {
	probe taken();
};
BEGIN { exit(0); }
