/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The sysevent provider: uevents, the kernel's messages to udev, as the kernel
 * sends them to listening sockets.
 *
 * An event is text, E: "add@/devices/...", and lines ACTION=, DEVPATH= and
 * SUBSYSTEM=, each ending with a 0.  The first two lines repeat parts of the
 * first string, so the third is at twice its length plus 17.  The length is
 * unknown if the string does not end within strsize.
 */
typedef struct syseventchaninfo {
	string ec_name;		/* uevent: there is one channel */
} syseventchaninfo_t;

typedef struct syseventinfo {
	string se_class;	/* subsystem */
	string se_subclass;	/* add, remove, change, move, ... */
	string se_publisher;	/* kernel */
	string se_devpath;	/* the object, in /sys */
} syseventinfo_t;

translator syseventchaninfo_t < char *E > {
	ec_name = "uevent";
};

translator syseventinfo_t < char *E > {
	se_class = E[strlen(stringof(E))] != '\0' ? "<unknown>" :
	    stringof(E + 2 * strlen(stringof(E)) + 17 +
	    strlen("SUBSYSTEM="));
	se_subclass = strtok(stringof(E), "@");
	se_publisher = "kernel";
	se_devpath = strchr(stringof(E), '/');
};

provider sysevent {
	probe post(char *E) : (syseventchaninfo_t *E, syseventinfo_t *E);
};

#pragma D attributes Evolving/Evolving/Common provider sysevent provider
#pragma D attributes Evolving/Evolving/Common provider sysevent name
#pragma D attributes Evolving/Evolving/Common provider sysevent args

/* Static objects of the kernel, not of a module, are in the topmost 2 GB. */
inline int _is_static[uintptr_t p] = p >> 31 == 0x1ffffffff;

/*
 * The arguments are (socket, packet, sender, group, ...):
 * NETLINK_KOBJECT_UEVENT is 15, and the kernel sends to group 1.  Each network
 * namespace has a socket and receives the event; the first namespace is a
 * static object.
 */
fbt::netlink_broadcast:entry
/args[0]->sk_protocol == 15 && args[3] == 1 && args[2] == 0 &&
    _is_static[(uintptr_t)args[0]->__sk_common.skc_net.net]/
{
	fire("sysevent:::post", (uintptr_t)args[1]->data);
}
