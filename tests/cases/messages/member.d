/*
 * The member that was meant is suggested.
 * @@needs: nothing
 */
struct s { int procid; } v;
BEGIN { trace(v.procdi); }
