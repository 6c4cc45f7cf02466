/*
 * ctfconvert's options: label, compression, version 3, data alone; and what it
 * refuses.
 */
BEGIN { exit(0); }
