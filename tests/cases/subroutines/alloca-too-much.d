/*
 * More than the scratch space holds is a fault.
 * @@args: -q -x scratchsize=64
 */
BEGIN { this->p = (char *)alloca(64); this->p[63] = 5; trace(this->p[63]); }
BEGIN { this->p = alloca(65); }
BEGIN { this->p = alloca(33); this->p = alloca(25); }
BEGIN { this->p = alloca(-1); }
BEGIN { exit(0); }
