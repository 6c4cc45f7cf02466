/*
 * The struct that was meant is suggested.
 * @@needs: nothing
 */
struct mystruct { int a; };
struct mystrcut x;
BEGIN { }
