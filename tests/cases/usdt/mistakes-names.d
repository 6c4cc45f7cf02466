/*
 * What is not there, and why.
 * @@kernel: a pattern of all processes needs -c or -p, and is refused by name
 */
