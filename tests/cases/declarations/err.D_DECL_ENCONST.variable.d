/*
 * An enumerator's value is a constant.
 * @@needs: nothing
 */
enum e { A = pid };
BEGIN { }
