/*
 * The environment of commands cannot change once a program is read.
 */
#pragma D option setenv=A=1
BEGIN { exit(0); }
