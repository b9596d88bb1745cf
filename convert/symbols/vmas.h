/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * vmas.h - the executable mappings of an address space, ordered by address. Copies share what they
 * have in common: a fork costs nothing, and a change only the way to the changed mapping.
 *
 * They are a balanced binary tree (AVL) whose nodes count their references; a node with several is
 * copied before it changes. Built by join and split, as in Blelloch, Ferizovic and Sun, "Just Join
 * for Parallel Ordered Sets", SPAA 2016.
 *
 * Threads    one at a time per pool
 * Failure    out of memory, or beyond the pool's limit: the mapping is not added
 * Ownership  a pointer to a mapping is valid until its tree changes
 */
#ifndef CONVERT_SYMBOLS_VMAS_H
#define CONVERT_SYMBOLS_VMAS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An executable mapping. */
struct vma {
	uint64_t start, end;
	uint64_t offset, inode; /* offset in the file; the file's inode */
	const char *path;
	const char *build_id; /* of the file, in hex digits; NULL: not recorded */
};

struct vma_node;

/* The nodes of many trees. */
struct vma_pool {
	struct vma_node *spare;
	size_t n_spare;
	size_t n, max; /* nodes in use, and their limit */
};

/* A zeroed struct is empty. */
struct vmas {
	struct vma_node *root;
};

/* vma_pool_fini - frees spare nodes; the trees must be empty. */
void vma_pool_fini(struct vma_pool *pool);

/* vmas_copy - the same mappings, for another vmas_fini(). */
struct vmas vmas_copy(const struct vmas *from);
void vmas_fini(struct vma_pool *pool, struct vmas *vmas);

/* vmas_put - adds @vma; of the mappings that it overlaps, the parts outside remain. */
bool vmas_put(struct vma_pool *pool, struct vmas *vmas, const struct vma *vma);

/* vmas_find - the mapping that contains @address, or NULL. */
const struct vma *vmas_find(const struct vmas *vmas, uint64_t address);

/* vmas_hides - whether @vma overlaps a mapping of something else. */
bool vmas_hides(const struct vmas *vmas, const struct vma *vma);

#endif
