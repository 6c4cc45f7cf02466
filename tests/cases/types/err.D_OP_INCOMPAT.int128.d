/*
 * D does not compute with 128-bit integers.
 */
struct s { __int128 i; };
BEGIN { this->p = (struct s *)alloca(16); trace(this->p->i + 1); }
