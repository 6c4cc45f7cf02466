/*
 * A member cannot be an associative array.
 */
struct s { int x[int]; };
BEGIN { exit(0); }
