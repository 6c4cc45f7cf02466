/*
 * One-liners about system calls give the answers that their commands know.
 * @@needs: root bpf cmd:bash
 */
BEGIN { exit(0); }
