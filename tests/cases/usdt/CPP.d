/*
 * With -C, -h and -G run the preprocessor that the build names in CPP.
 * @@needs: nothing
 */
provider p {
	probe NAME(int);
};
