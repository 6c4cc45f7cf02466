/*
 * Words that are right and stand in the wrong fields: which field one belongs
 * to is said, with the description to write.
 * @@needs: bpf speed
 */
syscall:read::entry { }
