/*
 * One-liners about files and the network give the answers that are known.
 * @@needs: root bpf cmd:bash
 */
BEGIN { exit(0); }
