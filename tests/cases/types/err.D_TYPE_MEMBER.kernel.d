/*
 * The kernel's structs have the members that they have.
 */
BEGIN { trace(curthread->no_such_member); }
