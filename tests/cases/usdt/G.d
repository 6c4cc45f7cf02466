/*
 * -G makes an object with semaphores and types; compilers' flags are accepted.
 * @@needs: nothing
 */
provider srv {
	probe start();
	probe query__done(const char *text, int n) : (int n, const char *text);
};
#pragma D attributes Evolving/Stable/ISA provider srv provider
