/*
 * The address of a string is printed as one only through copyinstr() or
 * stringof(), which the error says; of other conversions it does not.
 * @@needs: bpf
 */
syscall::openat:entry { printf("%s", arg1); }
