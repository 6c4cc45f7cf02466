/*
 * The event that was meant is suggested.
 * @@needs: bpf
 */
cpc:::instrctions-all-100000 { }
