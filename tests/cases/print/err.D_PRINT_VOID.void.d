/* There is nothing to print of a void. */
BEGIN { print((void)1); }
