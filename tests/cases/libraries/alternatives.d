/*
 * A library may define an inline for each kernel that differs: the first
 * definition that fits counts.  Of what no definition fits for, each use says
 * what the kernel lacks; the rest of the library is there.
 */
