/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The control group of the thread in the unified hierarchy, cgroups(7): its
 * number, which is the inode of its directory, and its path from the root.
 */
inline struct kernfs_node *_cg_node = curthread->cgroups->dfl_cgrp->kn;

/* The first definition is that of Linux 6.15 and later. */
inline struct kernfs_node *_cg_up[struct kernfs_node *K] = K->__parent;
inline struct kernfs_node *_cg_up[struct kernfs_node *K] = K->parent;

/* The root has no parent and no name.  Deeper paths begin with "/...". */
inline int _cg_is_root[struct kernfs_node *K] = K == NULL || _cg_up[K] == NULL;
inline string _cg_end[string UP, struct kernfs_node *K] =
    strjoin(UP, strjoin("/", stringof(K->name)));
inline string _cg_0[struct kernfs_node *K] = _cg_is_root[K] ? "" : "/...";
inline string _cg_1[struct kernfs_node *K] = _cg_is_root[K] ? "" :
    _cg_end[_cg_0[_cg_up[K]], K];
inline string _cg_2[struct kernfs_node *K] = _cg_is_root[K] ? "" :
    _cg_end[_cg_1[_cg_up[K]], K];
inline string _cg_3[struct kernfs_node *K] = _cg_is_root[K] ? "" :
    _cg_end[_cg_2[_cg_up[K]], K];
inline string _cg_4[struct kernfs_node *K] = _cg_is_root[K] ? "" :
    _cg_end[_cg_3[_cg_up[K]], K];
inline string _cg_5[struct kernfs_node *K] = _cg_is_root[K] ? "" :
    _cg_end[_cg_4[_cg_up[K]], K];
inline string _cg_6[struct kernfs_node *K] = _cg_is_root[K] ? "" :
    _cg_end[_cg_5[_cg_up[K]], K];
inline string _cg_7[struct kernfs_node *K] = _cg_is_root[K] ? "" :
    _cg_end[_cg_6[_cg_up[K]], K];
inline string _cg_8[struct kernfs_node *K] = _cg_is_root[K] ? "" :
    _cg_end[_cg_7[_cg_up[K]], K];

inline uint64_t cgroup = _cg_node->id;
inline string cgroupname = _cg_is_root[_cg_node] ? "/" : _cg_8[_cg_node];
#pragma D attributes Evolving/Evolving/Common cgroup
#pragma D attributes Evolving/Evolving/Common cgroupname
