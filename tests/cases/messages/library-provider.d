/*
 * The provider of a library that was meant is suggested.
 * @@needs: bpf
 */
shced:::on-cpu { }
