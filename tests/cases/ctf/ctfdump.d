/*
 * ctfdump prints each part of a file, in either byte order, and refuses what is
 * no CTF.
 */
BEGIN { exit(0); }
