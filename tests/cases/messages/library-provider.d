/*
 * So is one that a library has.
 * @@needs: bpf
 */
shced:::on-cpu { }
