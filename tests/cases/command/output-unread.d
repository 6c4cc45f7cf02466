/*
 * A reader that ends early causes no error; a full disk is told, once.
 */
BEGIN { exit(0); }
