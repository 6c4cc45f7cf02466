/*
 * -G takes a provider from the command line and from standard input, and then
 * writes d.out.
 * @@needs: nothing
 */
provider cmdline { probe here(int); };
