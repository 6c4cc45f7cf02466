/*
 * Memory behind that of alloca, or before it, is not the program's.
 * @@args: -q
 */
BEGIN { this->p = (char *)alloca(3); this->p[2] = 1; trace(this->p[2]); }
BEGIN { this->p = (char *)alloca(3); this->p[3] = 1; }
BEGIN { this->p = (char *)alloca(3); this->p[-1] = 1; }
BEGIN { this->p = (char *)alloca(0); this->p[0] = 1; }
BEGIN { exit(0); }
