/*
 * A reader that ends early causes no error; a full disk is reported, once.
 */
BEGIN { exit(0); }
