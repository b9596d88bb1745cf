/* SPDX-License-Identifier: GPL-2.0-only */
/* Ordered mappings with shared parts. */
#include "convert/symbols/vmas.h"

#include <stdlib.h>

struct vma_node {
	struct vma vma;
	struct vma_node *left, *right;
	uint32_t refs;
	uint32_t height;
};

/* More than one vmas_put() takes: its two splits and four joins copy at most some nodes for each
 * level, and 2^32 mappings have 46 levels. */
#define RESERVE 768u

static bool reserve(struct vma_pool *pool)
{
	while (pool->n_spare < RESERVE) {
		struct vma_node *node = malloc(sizeof(*node));

		if (!node)
			return false;
		node->left = pool->spare;
		pool->spare = node;
		pool->n_spare++;
	}
	return true;
}

static struct vma_node *take(struct vma_pool *pool)
{
	struct vma_node *node = pool->spare;

	pool->spare = node->left;
	pool->n_spare--;
	pool->n++;
	return node;
}

static struct vma_node *new_node(struct vma_pool *pool, const struct vma *vma)
{
	struct vma_node *node = take(pool);

	*node = (struct vma_node){ .vma = *vma, .refs = 1, .height = 1 };
	return node;
}

static struct vma_node *share(struct vma_node *node)
{
	if (node)
		node->refs++;
	return node;
}

static void drop(struct vma_pool *pool, struct vma_node *node)
{
	if (!node || --node->refs)
		return;
	drop(pool, node->left);
	drop(pool, node->right);
	pool->n--;
	if (pool->n_spare >= RESERVE) {
		free(node);
		return;
	}
	node->left = pool->spare;
	pool->spare = node;
	pool->n_spare++;
}

/* A node that only its caller refers to, with the content of @node, which it takes. */
static struct vma_node *own(struct vma_pool *pool, struct vma_node *node)
{
	struct vma_node *copy;

	if (node->refs == 1)
		return node;
	copy = take(pool);
	*copy = *node;
	copy->refs = 1;
	share(copy->left);
	share(copy->right);
	node->refs--;
	return copy;
}

static uint32_t height(const struct vma_node *node)
{
	return node ? node->height : 0;
}

static struct vma_node *measured(struct vma_node *node)
{
	uint32_t l = height(node->left), r = height(node->right);

	node->height = 1 + (l > r ? l : r);
	return node;
}

static struct vma_node *rotate_left(struct vma_pool *pool, struct vma_node *node)
{
	struct vma_node *up = own(pool, node->right);

	node->right = up->left;
	up->left = measured(node);
	return measured(up);
}

static struct vma_node *rotate_right(struct vma_pool *pool, struct vma_node *node)
{
	struct vma_node *up = own(pool, node->left);

	node->left = up->right;
	up->right = measured(node);
	return measured(up);
}

/* Balances an owned node whose branches differ by at most two levels. */
static struct vma_node *balanced(struct vma_pool *pool, struct vma_node *node)
{
	if (height(node->right) > height(node->left) + 1) {
		if (height(node->right->left) > height(node->right->right))
			node->right = rotate_right(pool, own(pool, node->right));
		return rotate_left(pool, node);
	}
	if (height(node->left) > height(node->right) + 1) {
		if (height(node->left->right) > height(node->left->left))
			node->left = rotate_left(pool, own(pool, node->left));
		return rotate_right(pool, node);
	}
	return measured(node);
}

/* A tree of everything in @l, @mid (owned) and @r, which are in this order. */
static struct vma_node *join(struct vma_pool *pool, struct vma_node *l, struct vma_node *mid,
			     struct vma_node *r)
{
	if (height(l) > height(r) + 1) {
		l = own(pool, l);
		l->right = join(pool, l->right, mid, r);
		return balanced(pool, l);
	}
	if (height(r) > height(l) + 1) {
		r = own(pool, r);
		r->left = join(pool, l, mid, r->left);
		return balanced(pool, r);
	}
	mid->left = l;
	mid->right = r;
	return measured(mid);
}

/* Splits @node into mappings that start before @at, and the others. */
static void split(struct vma_pool *pool, struct vma_node *node, uint64_t at, struct vma_node **l,
		  struct vma_node **r)
{
	struct vma_node *left, *right, *mid;

	*l = *r = NULL;
	if (!node)
		return;
	node = own(pool, node);
	left = node->left;
	right = node->right;
	if (node->vma.start < at) {
		split(pool, right, at, &mid, r);
		*l = join(pool, left, node, mid);
	} else {
		split(pool, left, at, l, &mid);
		*r = join(pool, mid, node, right);
	}
}

/* Takes the last mapping out of @node; returns the others. */
static struct vma_node *take_last(struct vma_pool *pool, struct vma_node *node,
				  struct vma_node **last)
{
	node = own(pool, node);
	if (!node->right) {
		*last = node;
		return node->left;
	}
	node->right = take_last(pool, node->right, last);
	return balanced(pool, node);
}

static struct vma_node *last_of(struct vma_node *node)
{
	while (node && node->right)
		node = node->right;
	return node;
}

void vma_pool_fini(struct vma_pool *pool)
{
	while (pool->spare) {
		struct vma_node *node = pool->spare;

		pool->spare = node->left;
		free(node);
	}
	pool->n_spare = 0;
}

struct vmas vmas_copy(const struct vmas *from)
{
	return (struct vmas){ share(from->root) };
}

void vmas_fini(struct vma_pool *pool, struct vmas *vmas)
{
	drop(pool, vmas->root);
	vmas->root = NULL;
}

/* The part of @vma from @address on. */
static struct vma from_address(const struct vma *vma, uint64_t address)
{
	struct vma rest = *vma;

	rest.offset += address - vma->start;
	rest.start = address;
	return rest;
}

bool vmas_put(struct vma_pool *pool, struct vmas *vmas, const struct vma *vma)
{
	struct vma_node *l, *mid, *r, *last;
	struct vma rest = { 0 };

	if (vma->end <= vma->start || pool->n >= pool->max || !reserve(pool))
		return false;
	split(pool, vmas->root, vma->start, &l, &mid);
	split(pool, mid, vma->end, &mid, &r);
	last = last_of(l);
	if (last && last->vma.end > vma->start) {
		l = take_last(pool, l, &last);
		if (last->vma.end > vma->end)
			rest = from_address(&last->vma, vma->end);
		last->vma.end = vma->start;
		l = join(pool, l, last, NULL);
	}
	last = last_of(mid);
	if (last && last->vma.end > vma->end)
		rest = from_address(&last->vma, vma->end);
	drop(pool, mid);
	if (rest.end)
		r = join(pool, NULL, new_node(pool, &rest), r);
	vmas->root = join(pool, l, new_node(pool, vma), r);
	return true;
}

/* The last mapping that starts before @address, or NULL. */
static const struct vma_node *before(const struct vma_node *node, uint64_t address)
{
	const struct vma_node *found = NULL;

	while (node) {
		bool is = node->vma.start < address;

		found = is ? node : found;
		node = is ? node->right : node->left;
	}
	return found;
}

const struct vma *vmas_find(const struct vmas *vmas, uint64_t address)
{
	const struct vma_node *node = address == UINT64_MAX ? NULL
							    : before(vmas->root, address + 1);

	return node && address < node->vma.end ? &node->vma : NULL;
}

/* Whether both mean the same where they overlap. */
static bool agree(const struct vma *a, const struct vma *b)
{
	/* "//anon", "[stack]": no file, so the offset does not matter */
	bool file = *a->path == '/' && a->path[1] != '/';

	return a->path == b->path && a->inode == b->inode && a->build_id == b->build_id &&
	       (!file || a->offset - a->start == b->offset - b->start);
}

bool vmas_hides(const struct vmas *vmas, const struct vma *vma)
{
	/* from the last to the first that overlaps */
	const struct vma_node *node = before(vmas->root, vma->end);

	while (node && node->vma.end > vma->start) {
		if (!agree(&node->vma, vma))
			return true;
		node = before(vmas->root, node->vma.start);
	}
	return false;
}
