/*
 * -lT lists the names of the types that a pattern matches: a script's own,
 * those of the kernel and of the D libraries.  A tag that is only mentioned is
 * no type.
 * @@needs: nothing
 */
struct ourlist_b { int b; };
struct ourlist_a { struct ourlist_c *c; };
typedef struct ourlist_b ourlist_t;

BEGIN { exit(0); }
