/*
 * Two declarations of a symbol that differ.
 */
extern int some_symbol;
extern int some_symbol;
extern char *some_symbol;
