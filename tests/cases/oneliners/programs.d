/*
 * One-liners about a program and the kernel give the answers that are known.
 * @@needs: root bpf cmd:bash prog:asked
 */
BEGIN { exit(0); }
