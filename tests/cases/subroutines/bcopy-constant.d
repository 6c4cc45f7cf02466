/*
 * A string constant and the end of scratch are not the program's to write.
 * @@args: -q
 */
BEGIN { bcopy("abc", "def", 3); }
BEGIN { bcopy("abcdef", alloca(5), 6); }
BEGIN { exit(0); }
