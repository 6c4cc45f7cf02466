/*
 * The words of a command of -c that is not quoted are options and operands: the
 * error tells that it needs quotes.  Words of other options are left alone.
 * @@needs: nothing
 */
BEGIN { exit(0); }
