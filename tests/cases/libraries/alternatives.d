/*
 * A library may define an inline for each kernel that differs: the first
 * definition that fits counts.  If none fits, each use says what the kernel
 * lacks; the rest of the library is there.
 */
