/* A length is a number. */
BEGIN { pcap(curthread, "8"); }
