/*
 * Programs of -n, -s and -P stand in the order of the command line and share
 * their variables; -P without a clause has the default action.
 */
BEGIN { printf("script %d\n", ++x); }
