/*
 * Probes without an event in Linux are refused by name.
 */
vminfo:::rev { }
