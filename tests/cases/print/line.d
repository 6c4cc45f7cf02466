/*
 * print() follows the probe on its line, and other actions follow it.
 */
BEGIN { print((short)7); trace(1); exit(0); }
