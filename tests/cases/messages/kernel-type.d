/*
 * Types of the kernel that no text has used are among those that a misspelt one
 * may mean; where a value is wanted they are not.
 * @@needs: bpf
 */
BEGIN { trace(sizeof (struct sk_buf)); }
