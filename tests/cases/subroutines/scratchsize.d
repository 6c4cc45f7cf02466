/*
 * The option scratchsize says how much scratch space a clause has; each
 * clause has all of it.
 * @@args: -q -x scratchsize=4k
 */
BEGIN { this->p = (char *)alloca(4096); this->p[4095] = 1; trace(this->p[4095]); }
BEGIN { this->p = (char *)alloca(4096); this->p[4095] = 2; trace(this->p[4095]); }
BEGIN { this->p = (char *)alloca(4097); }
BEGIN { exit(0); }
