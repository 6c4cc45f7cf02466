/*
 * One word of a description is none of the provider's: what could stand in its
 * place is listed if it is not much.
 * @@needs: bpf speed
 */
udp:::drop { }
