/*
 * An enumerator's value is an int.
 * @@needs: nothing
 */
enum e { A = 5000000000 };
BEGIN { exit(0); }
