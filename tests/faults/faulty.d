/* The probes of which test_faults.py makes a header. */
provider faulty {
	probe begin(int, char *);
	probe end__of__work();
};
