/* The probes that test_faults.py has a header written for. */
provider faulty {
	probe begin(int, char *);
	probe end__of__work();
};
