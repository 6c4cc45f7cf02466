/*
 * _Complex qualifies floating point types.
 */
struct s { _Complex int i; };
BEGIN { }
