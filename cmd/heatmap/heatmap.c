/* SPDX-License-Identifier: GPL-2.0-only */
/* cdict heatmap: draws one picture, to a file or the terminal. */
#include "cmd/heatmap/heatmap.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "analyze/printing/reasons.h"
#include "base/system/ending.h"
#include "base/text/sink.h"
#include "render/draw/backend.h"
#include "render/views/switches.h"

#define WIDTH 1280
#define HEIGHT 720
#define PIXELS_MIN 320
#define PIXELS_MAX 16384
#define CELLS_MAX 1000

static const char *const row_kinds[] = { "task", "group", "role", NULL };
static const char *const themes[] = { "auto", "light", "dark", NULL };

static const char *const switch_whats[] = { "run", "sleep", "wakeup", NULL };
static const char *const kvm_whats[] = { "exit", "guest", NULL };
static const char *const exit_bys[] = { "time", "count", NULL };
enum { EXITS_BY_TIME, EXITS_BY_COUNT };
static const char *const use_bys[] = { "run", "switches", NULL };
static const char *const delay_bys[] = { "vm", "sibling", NULL };
static const char *const core_bys[] = { "task", "group", "role", "state", NULL };
static const enum analyze_slice_kind switch_kinds[] = { ANALYZE_SLICE_RUN, ANALYZE_SLICE_SLEEP,
							ANALYZE_SLICE_WAKEUP };
static const enum analyze_slice_kind kvm_kinds[] = { ANALYZE_SLICE_EXIT, ANALYZE_SLICE_GUEST };

static void warn_of_switches(struct heatmap *h)
{
	if (figures_has_switch(&h->f, "ran") && h->kind == ANALYZE_SLICE_WAKEUP &&
	    !tables_has_wakeups(&h->f.walk))
		figures_lacks(&h->f, "no wake-up events: %s", figures_remedy(&h->f, "sched"));
}

static void warn_of_kvm(struct heatmap *h)
{
	const struct analyze_summary *sum = analyze_engine_summary(h->f.walk.eng);
	const struct analyze_kvm_events *kvm =
		analyze_kvm_events(cdict_reader_info(h->f.reader, "host.arch"));

	if (!sum->has_exit || !sum->has_entry)
		figures_lacks(&h->f, "no %s events: %s", sum->has_exit ? kvm->entry : kvm->exit,
			      figures_remedy(&h->f, "kvm"));
}

static void warn_of_exits(struct heatmap *h)
{
	if (!analyze_engine_summary(h->f.walk.eng)->has_exit)
		figures_lacks(&h->f, "no %s events: %s",
			      analyze_kvm_events(cdict_reader_info(h->f.reader, "host.arch"))->exit,
			      figures_remedy(&h->f, "kvm"));
}

static void warn_of_vcpus(struct heatmap *h)
{
	figures_has_vcpus(&h->f);
}

/* For which tasks vCPUs waited: needs vCPUs and switches. */
static void warn_of_delays(struct heatmap *h)
{
	if (figures_has_vcpus(&h->f))
		figures_has_switch(&h->f, "ran");
}

static const char *const view_names[] = { "switches", "exits", "vcpu",   "coremap", "cpu",
					  "kvm",      "cores", "delays", "vm",      NULL };
static const struct view {
	const char *name;
	/* Values of --what and --by, the first is the default; NULL: the option is not allowed. */
	const char *const *whats, *const *bys;
	const enum analyze_slice_kind *kinds; /* slice kinds for --what; NULL: draws rows */
	const char *titles[4];                /* by --by; for intervals see view_switches_title() */
	const char *all;                      /* caption when no task filter is given */
	heatmap_add_fn *add, *walk;           /* walk may be NULL */
	heatmap_draw_fn *draw;
	bool grouped;                    /* --rows is allowed */
	void (*warn)(struct heatmap *h); /* warns about missing events; NULL: no warning */
} views[] = {
	/* in the order of view_names */
	{ .name = "switches",
	  .whats = switch_whats,
	  .kinds = switch_kinds,
	  .all = "all tasks but IDLE",
	  .add = heatmap_add_slices,
	  .draw = heatmap_draw_slices,
	  .warn = warn_of_switches },
	{ .name = "exits",
	  .bys = exit_bys,
	  .titles = { "KVM exits: time spent per vCPU, by reason",
		      "KVM exits: how many per vCPU, by reason" },
	  .all = "all vCPUs",
	  .add = heatmap_add_exits,
	  .draw = heatmap_draw_exits,
	  .grouped = true,
	  .warn = warn_of_exits },
	{ .name = "vcpu",
	  .titles = { "vCPUs: where their time went" },
	  .all = "all vCPUs, worst first",
	  .add = heatmap_add_vcpu,
	  .draw = heatmap_draw_vcpu,
	  .grouped = true,
	  .warn = warn_of_vcpus },
	{ .name = "coremap",
	  .bys = use_bys,
	  .titles = { "Core map: run time per task and CPU",
		      "Core map: context switches per task and CPU" },
	  .all = "all tasks",
	  .add = heatmap_add_coremap,
	  .draw = heatmap_draw_coremap,
	  .grouped = true,
	  .warn = warn_of_switches },
	{ .name = "cpu",
	  .bys = use_bys,
	  .titles = { "Tasks: CPU time against context switches",
		      "Tasks: CPU time against context switches" },
	  .all = "all tasks but IDLE",
	  .add = heatmap_add_coremap,
	  .draw = heatmap_draw_cpu,
	  .grouped = true,
	  .warn = warn_of_switches },
	{ .name = "kvm",
	  .whats = kvm_whats,
	  .kinds = kvm_kinds,
	  .all = "all vCPUs",
	  .add = heatmap_add_slices,
	  .draw = heatmap_draw_slices,
	  .warn = warn_of_kvm },
	{ .name = "cores",
	  .bys = core_bys,
	  .titles = { "CPUs: which task ran where", "CPUs: which VMs and groups of tasks ran where",
		      "CPUs: which roles of VMs and tasks ran where",
		      "CPUs: where vCPUs, VMMs, kernel threads and host tasks ran" },
	  .all = "all tasks",
	  .add = heatmap_add_cores,
	  .draw = heatmap_draw_cores,
	  .warn = warn_of_switches },
	{ .name = "delays",
	  .bys = delay_bys,
	  .titles = { "vCPU delay per VM, by antagonist",
		      "Guest time per VM, by what ran on the other thread of the core" },
	  .all = "all vCPUs, by VM",
	  .add = heatmap_add_vcpu,
	  .draw = heatmap_draw_delays,
	  .warn = warn_of_delays },
	{ .name = "vm",
	  .titles = { "One VM: what its threads did" },
	  .all = "no VM",
	  .add = heatmap_add_vm,
	  .walk = heatmap_walk_vm,
	  .draw = heatmap_draw_vm,
	  .warn = warn_of_vcpus },
};

/* The index of @text in @choices, 0 when not given; or reports wrong usage and returns
 * CMD_USAGE. */
static int choose(const struct cmd_call *call, const char *option, const char *text,
		  const struct view *view, const char *const *choices, unsigned *out)
{
	char all[120] = "";

	*out = 0;
	if (!text)
		return CMD_DONE;
	if (!choices)
		return cmd_usage(call, "option --%s cannot be used with --view %s", option,
				 view->name);
	for (unsigned i = 0; choices[i]; i++) {
		if (!strcmp(choices[i], text)) {
			*out = i;
			return CMD_DONE;
		}
		strcat(all, i ? ", " : "");
		strcat(all, choices[i]);
	}
	return cmd_usage(call, "option --%s: --view %s takes one of %s, not '%s'", option,
			 view->name, all, text);
}

/* Selects the back-end, by --format-out, else by the file's ending. */
static int find_backend(const struct cmd_call *call, const struct heatmap_opts *opts,
			const struct backend **out)
{
	const char *file = opts->shared.output;

	if (opts->format_out)
		*out = backend_find(opts->format_out);
	else if (!file)
		*out = &backend_term;
	else
		*out = backend_for(file);
	if (*out && !file && !(*out)->cells)
		return cmd_usage(call, "needs -o FILE for %s ('-o -' is standard output)",
				 (*out)->name);
	if (*out)
		return CMD_DONE;
	if (opts->format_out)
		return cmd_usage(
			call,
			"option --format-out: unknown format '%s'; expected svg, png, pdf, html or terminal",
			opts->format_out);
	return cmd_usage(
		call,
		"cannot tell the format of '%s' by its ending; expected .svg, .png, .pdf or "
		".html, or --format-out",
		file);
}

/* A page needs no back-end: it draws itself. */
static bool is_page(const struct heatmap_opts *opts)
{
	const char *file = opts->shared.output;
	size_t len = file ? strlen(file) : 0;

	if (opts->format_out)
		return file && !strcmp(opts->format_out, "html");
	return ending_cut(file, len, ".html") < len;
}

/* 24-bit colours if the terminal announces them, else 256 if its name does and the locale is UTF-8,
 * so that it can show half blocks. */
static void choose_colours(struct backend_options *how)
{
	const char *colours = getenv("COLORTERM"), *none = getenv("NO_COLOR"),
		   *term = getenv("TERM"), *locale = getenv("LC_ALL");

	if (!isatty(STDOUT_FILENO) || (none && *none))
		return;
	how->colour = colours && (!strcmp(colours, "truecolor") || !strcmp(colours, "24bit"));
	if (how->colour || !term || !strstr(term, "256color"))
		return;
	if (!locale || !*locale)
		locale = getenv("LC_CTYPE");
	if (!locale || !*locale)
		locale = getenv("LANG");
	how->colour = how->few = locale &&
				 (strcasestr(locale, "utf-8") || strcasestr(locale, "utf8"));
}

/* Light for files; dark for terminals, unless COLORFGBG says otherwise (the last number of "15;0"
 * is the background). */
static enum palette_theme choose_theme(const struct heatmap_opts *opts,
				       const struct backend *backend)
{
	const char *env = getenv("COLORFGBG"), *last = env ? strrchr(env, ';') : NULL;
	long background = last ? strtol(last + 1, NULL, 10) : 0;

	if (opts->theme)
		return opts->theme == 1 ? PALETTE_LIGHT : PALETTE_DARK;
	if (!backend->cells || background == 7 || background == 15)
		return PALETTE_LIGHT;
	return PALETTE_DARK;
}

/* The size given by the user, else of the terminal, else a default. */
static int size_canvas(const struct cmd_call *call, const struct heatmap_opts *opts,
		       const struct backend *backend, bool colour, struct canvas *c)
{
	uint64_t max = backend->cells ? CELLS_MAX : PIXELS_MAX;
	uint64_t min = backend->cells ? 40 : PIXELS_MIN;
	uint64_t width = opts->width, height = opts->height;
	struct winsize ws = { .ws_col = 80, .ws_row = 24 };
	const char *columns = getenv("COLUMNS"); /* set by the user; shells do not export theirs */

	if (width && (width < min || width > max))
		return cmd_usage(call, "option --width: from %llu to %llu", (unsigned long long)min,
				 (unsigned long long)max);
	if (height > max)
		return cmd_usage(call, "option --height: at most %llu", (unsigned long long)max);
	if (!backend->cells) {
		*c = canvas_pixels(width ? (double)width : WIDTH, height ? (double)height : HEIGHT);
		return CMD_DONE;
	}
	if (isatty(STDOUT_FILENO) && (ioctl(STDOUT_FILENO, TIOCGWINSZ, &ws) || !ws.ws_col))
		ws = (struct winsize){ .ws_col = 80, .ws_row = 24 };
	if (columns && atoi(columns) > 0 && atoi(columns) <= CELLS_MAX)
		ws.ws_col = (unsigned short)atoi(columns);
	if (!width)
		width = ws.ws_col < 40 ? 40 : ws.ws_col > CELLS_MAX ? CELLS_MAX : ws.ws_col;
	if (!height)
		height = ws.ws_row > 16 ? ws.ws_row - 1u : 16;
	*c = canvas_cells((unsigned)width, (unsigned)height, colour);
	return CMD_DONE;
}

/* The arguments of put(). */
struct picture {
	const struct backend *backend;
	const struct backend_options *how;
	const struct marks *marks;
};

static int draw(void *ctx, struct sink *s, struct cdict_error *err)
{
	const struct picture *p = ctx;

	return p->backend->draw(p->marks, p->how, s, err);
}

/* Draws to -o, or to stdout. */
static int write_picture(const struct cmd_call *call, struct picture *p)
{
	const struct heatmap_opts *opts = call->opts;
	struct cdict_error err = { 0 };
	struct sink s;
	int rc, end;

	if (opts->shared.output)
		return cmd_output_write(call, opts->shared.output, 0, draw, p);
	sink_to_file(&s, stdout);
	rc = draw(p, &s, &err);
	end = sink_finish(&s);
	if (!rc && end)
		return cmd_stdout_error(call, end);
	return rc ? cmd_error(call, NULL, &err) : CMD_DONE;
}

/* The steps between opening the capture and drawing: analyses, walk, marks. */
static int make(struct heatmap *h, const struct view *view)
{
	struct figures *f = &h->f;
	struct cdict_error err = { 0 };
	const char *title;
	int status;

	if (view->kinds)
		h->kind = view->kinds[h->what];
	h->rows = view->draw == heatmap_draw_cores && h->by != HEATMAP_BY_STATE ? (int)h->by
										: h->opts->rows;
	if (view->add(h, &err))
		return figures_fail(f, &err);
	status = figures_run_wanted(f);
	if (status)
		return status;
	if (view->walk && view->walk(h, &err))
		return figures_fail(f, &err);
	/* Without entries the time of exits is unknown. */
	if (view->draw == heatmap_draw_exits && !h->opts->by &&
	    !analyze_engine_summary(f->walk.eng)->has_entry)
		h->by = EXITS_BY_COUNT;
	title = view->kinds ? view_switches_title(h->kind) : view->titles[h->by];
	if (heatmap_caption_init(h, title, view->all) || view->draw(h) || h->m.failed)
		return figures_no_memory(f);
	if (view->warn)
		view->warn(h);
	return CMD_DONE;
}

static void fini(struct heatmap *h)
{
	heatmap_caption_fini(&h->cap);
	analyze_slices_free(h->slices);
	bins_free(h->bins);
	lanes_free(h->lanes);
	for (size_t i = 0; i < h->states.n; i++)
		lanes_free(h->states.at[i]);
	array_fini(&h->states);
	free(h->wanted);
	heatmap_groups_fini(&h->groups);
	heatmap_vm_free(h->vm);
	marks_fini(&h->m);
	figures_close(&h->f);
}

static int heatmap_run(const struct cmd_call *call)
{
	const struct heatmap_opts *opts = call->opts;
	const struct view *view = &views[opts->view];
	struct backend_options how = { 0 };
	const struct backend *backend = NULL;
	struct heatmap h = { .opts = opts };
	int status;

	status = choose(call, "what", opts->what, view, view->whats, &h.what);
	if (!status)
		status = choose(call, "by", opts->by, view, view->bys, &h.by);
	if (!status && opts->rows && !view->grouped)
		status = cmd_usage(call, "option --rows cannot be used with --view %s", view->name);
	if (!status && is_page(opts))
		return heatmap_page(call, view->name, view->whats ? view->whats[h.what] : NULL,
				    view->bys ? view->bys[h.by] : NULL);
	if (!status && opts->height && !view->kinds)
		status = cmd_usage(call,
				   "option --height cannot be used with --view %s: the number "
				   "of rows sets it",
				   view->name);
	if (!status)
		status = find_backend(call, opts, &backend);
	if (status)
		return status;
	how.theme = choose_theme(opts, backend);
	if (!opts->shared.output)
		choose_colours(&how);
	status = size_canvas(call, opts, backend, how.colour, &h.c);
	if (status)
		return status;
	status = figures_open(&h.f, call);
	if (!status)
		status = make(&h, view);
	if (!status)
		status = write_picture(call, &(struct picture){ backend, &how, &h.m });
	if (!status)
		status = figures_status(&h.f);
	fini(&h);
	return status;
}

static const struct cmd_option heatmap_options[] = {
	OPTION_INPUT,
	CMD_CHOICE(0, "view", struct heatmap_opts, view, "VIEW", view_names, "switches",
		   "what to draw"),
	CMD_STRING(0, "what", struct heatmap_opts, what, "WHAT",
		   "which intervals: run, sleep or wakeup (switches), exit or guest (kvm)"),
	CMD_STRING(0, "by", struct heatmap_opts, by, "WHAT",
		   "figure to draw: time or count (exits), run or switches (coremap, cpu), vm or "
		   "sibling (delays); one colour per task, group, role or state (cores)"),
	CMD_STRING('o', "output", struct options_shared, output, "FILE",
		   "write FILE, whole or not at all; its ending selects the format; '-' is standard "
		   "output (default: draw in the terminal)"),
	CMD_STRING(0, "format-out", struct heatmap_opts, format_out, "FORMAT",
		   "svg, png, pdf, html or terminal, regardless of FILE's ending"),
	CMD_UINT(0, "width", struct heatmap_opts, width, "N", NULL,
		 "width in pixels (default: 1280), in the terminal in columns"),
	CMD_UINT(0, "height", struct heatmap_opts, height, "N", NULL,
		 "height in pixels (default: 720), in the terminal in lines"),
	CMD_CHOICE(
		0, "rows", struct heatmap_opts, rows, "WHAT", row_kinds, "task",
		"one row per task, group or role, as cdict tasks --by (coremap, cpu, exits, vcpu)"),
	CMD_UINT('n', "top", struct heatmap_opts, top, "N", "25",
		 "show the N largest rows, the others as one; 0: all (coremap, cpu, delays; vm: "
		 "the N threads that waited longest)"),
	CMD_STRING(0, "label", struct heatmap_opts, label, "TEXT",
		   "title of the capture, in the subtitle"),
	CMD_CHOICE(0, "theme", struct heatmap_opts, theme, "THEME", themes, "auto",
		   "light or dark background; auto: light, but dark in a terminal"),
	OPTIONS_SELECT,
	OPTION_APPEND_TID,
	OPTIONS_READ,
	CMD_OPTIONS_END,
};

static const struct cmd_example heatmap_examples[] = {
	{ "cdict heatmap run.cdict -o switches.svg", "how long tasks ran, over time" },
	{ "cdict heatmap run.cdict --what wakeup -t qemu -o wait.png",
	  "how long QEMU's threads waited for a CPU" },
	{ "cdict heatmap run.cdict --view exits", "exit reasons per vCPU, in the terminal" },
	{ "cdict heatmap run.cdict --view delays -o delays.svg",
	  "which VM waited behind which VM or task" },
	{ "cdict heatmap run.cdict --view vm --vm 1044 -o vm.svg",
	  "the threads of that VM over time, and where its time went" },
	{ NULL, NULL },
};

const struct cmd cmd_heatmap = {
	.name = "heatmap",
	.brief = "draw one picture: SVG, PNG, PDF, HTML or in the terminal",
	.operands = "[FILE]",
	.about =
		"switches: how long tasks ran (or slept, or waited) on a grid of time and length; "
		"exits: why vCPUs left their guests; vcpu: where each vCPU's time went, worst first; "
		"coremap: task by CPU; cpu: CPU time and context switches per task; kvm: how long "
		"exits took, on the same grid; cores: which task ran where; delays: which VM waited behind "
		"which VM or task; vm: what each thread of one VM did, and who had the CPU instead. "
		"Without a task filter, IDLE is left out where it would hide the rest.",
	.options = heatmap_options,
	.opts_size = sizeof(struct heatmap_opts),
	.max_operands = 1,
	.examples = heatmap_examples,
	.one_window = true,
	.run = heatmap_run,
};
