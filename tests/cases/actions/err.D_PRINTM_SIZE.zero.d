/* How much is recorded is known beforehand, and not nothing. */
uintptr_t ref[2];
BEGIN { printm(0, ref); }
