/*
 * Another level of a cache is no misspelt one: PAPI's events are listed.
 * @@needs: bpf
 */
cpc:::PAPI_l2_tcm-all-100000 { }
