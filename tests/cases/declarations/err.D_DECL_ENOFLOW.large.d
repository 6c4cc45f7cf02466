/*
 * An enumerator's value fits in an int.
 * @@needs: nothing
 */
enum e { A = 5000000000 };
BEGIN { }
