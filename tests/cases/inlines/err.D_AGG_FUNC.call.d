/*
 * An inline that is called does not aggregate.
 * @@needs: nothing
 */
inline int twice[int x] = x * 2;
BEGIN { @ = twice(1); }
