/*
 * Several -n and -s texts share globals, in the order given.
 */
BEGIN { x = x * 10 + 2; }
