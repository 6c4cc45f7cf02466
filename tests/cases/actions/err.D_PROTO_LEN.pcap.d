/* pcap() takes an address and a length. */
BEGIN { pcap(curthread); }
