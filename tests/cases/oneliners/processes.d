/*
 * One-liners about processes, signals and memory give the answers that are
 * known.
 * @@needs: root bpf cmd:bash
 */
BEGIN { exit(0); }
