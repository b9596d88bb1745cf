/* SPDX-License-Identifier: GPL-2.0-only */
/* PNG and PDF, with cairo. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <time.h>

#include <cairo-pdf.h>
#include <cairo.h>

#include "base/fail.h"
#include "base/system/shared_object.h"
#include "render/draw/backend.h"

/* Cairo's functions, set once load() has returned 0. */
#define CAIRO(X)                                                                                   \
	X(clip)                                                                                    \
	X(create)                                                                                  \
	X(destroy)                                                                                 \
	X(fill)                                                                                    \
	X(image_surface_create)                                                                    \
	X(line_to)                                                                                 \
	X(move_to)                                                                                 \
	X(paint)                                                                                   \
	X(pdf_surface_create_for_stream)                                                           \
	X(pdf_surface_set_metadata)                                                                \
	X(rectangle)                                                                               \
	X(restore)                                                                                 \
	X(save)                                                                                    \
	X(scale)                                                                                   \
	X(select_font_face)                                                                        \
	X(set_font_size)                                                                           \
	X(set_line_width)                                                                          \
	X(set_source_rgba)                                                                         \
	X(show_page)                                                                               \
	X(show_text)                                                                               \
	X(status)                                                                                  \
	X(status_to_string)                                                                        \
	X(stroke)                                                                                  \
	X(surface_destroy)                                                                         \
	X(surface_finish)                                                                          \
	X(surface_status)                                                                          \
	X(surface_write_to_png_stream)                                                             \
	X(text_extents)

static struct {
#define X(name) __typeof__ (&(cairo_##name))(name);
	CAIRO(X)
#undef X
} cairo;

static int load(struct cdict_error *err)
{
	static const char *const names[] = { "libcairo.so.2", NULL };
	static const struct shared_function functions[] = {
#define X(name) { "cairo_" #name, &cairo.name },
		CAIRO(X)
#undef X
	};
	static struct shared_object so = {
		.use = "PNG and PDF are drawn by cairo",
		.package = "libcairo2",
		.names = names,
		.functions = functions,
		.n = sizeof(functions) / sizeof(functions[0]),
	};

	return shared_object_load(&so, err);
}

/* PDF's unit is 1/72 inch, ours a 96th. */
#define PDF_SCALE 0.75

static cairo_status_t to_sink(void *closure, const unsigned char *data, unsigned int size)
{
	struct sink *s = closure;

	sink_add(s, data, size);
	return s->error ? CAIRO_STATUS_WRITE_ERROR : CAIRO_STATUS_SUCCESS;
}

static void use(cairo_t *cr, enum palette_theme theme, struct ink ink, double alpha)
{
	struct palette_rgb c = palette_colour(theme, ink);

	cairo.set_source_rgba(cr, c.r / 255.0, c.g / 255.0, c.b / 255.0, alpha);
}

static void hatch(cairo_t *cr, enum palette_theme theme, const struct mark *m)
{
	cairo.save(cr);
	cairo.rectangle(cr, m->x, m->y, m->w, m->h);
	cairo.clip(cr);
	use(cr, theme, m->ink, 0.55);
	cairo.set_line_width(cr, 3);
	/* stripes 7 apart, anchored to the paper so that neighbours continue each other */
	for (double d = floor((m->x + m->y) / 9.9) * 9.9; d < m->x + m->w + m->y + m->h + 10;
	     d += 9.9) {
		cairo.move_to(cr, d - m->y + 1, m->y - 1);
		cairo.line_to(cr, d - m->y - m->h - 1, m->y + m->h + 1);
	}
	cairo.stroke(cr);
	cairo.restore(cr);
}

static void text(cairo_t *cr, const struct mark *t)
{
	struct canvas c = canvas_pixels(0, 0);
	bool bold = t->size == MARK_TITLE || t->size == MARK_STRONG;
	cairo_text_extents_t ext;
	double x = t->x;

	cairo.select_font_face(cr, "sans-serif", CAIRO_FONT_SLANT_NORMAL,
			       bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
	cairo.set_font_size(cr, canvas_font(&c, t->size));
	if (t->anchor != MARK_START) {
		cairo.text_extents(cr, t->text, &ext);
		x -= t->anchor == MARK_END ? ext.x_advance : ext.x_advance / 2;
	}
	cairo.move_to(cr, x, t->y + 0.36 * canvas_font(&c, t->size));
	cairo.show_text(cr, t->text);
}

static void marks(cairo_t *cr, const struct marks *m, enum palette_theme theme)
{
	use(cr, theme, (struct ink){ INK_PAPER, 0 }, 1);
	cairo.paint(cr);
	cairo.set_line_width(cr, 1);
	for (size_t i = 0; i < m->all.n; i++) {
		const struct mark *mark = &m->all.at[i];

		use(cr, theme, mark->ink, 1);
		switch (mark->kind) {
		case MARK_RECT:
			cairo.rectangle(cr, mark->x, mark->y, mark->w, mark->h);
			cairo.fill(cr);
			break;
		case MARK_LINE:
			cairo.move_to(cr, mark->x, mark->y);
			cairo.line_to(cr, mark->x + mark->w, mark->y + mark->h);
			cairo.stroke(cr);
			break;
		case MARK_HATCH:
			hatch(cr, theme, mark);
			break;
		case MARK_TEXT:
			text(cr, mark);
			break;
		}
	}
}

/* Destroys both; 0 or cairo's failure. */
static int finish(cairo_t *cr, cairo_surface_t *surface, cairo_status_t status,
		  struct cdict_error *err)
{
	if (!status)
		status = cairo.status(cr);
	cairo.destroy(cr);
	cairo.surface_finish(surface);
	if (!status)
		status = cairo.surface_status(surface);
	cairo.surface_destroy(surface);
	/* a write error is reported by the sink's owner */
	if (!status || status == CAIRO_STATUS_WRITE_ERROR)
		return 0;
	return cdict_fail(err, status == CAIRO_STATUS_NO_MEMORY ? -ENOMEM : CDICT_ELIMIT,
			  CDICT_NO_OFFSET, "cannot draw the picture: %s",
			  cairo.status_to_string(status));
}

static int draw_png(const struct marks *m, const struct backend_options *opts, struct sink *out,
		    struct cdict_error *err)
{
	cairo_surface_t *surface;
	cairo_status_t status;
	cairo_t *cr;
	int ret = load(err);

	if (ret)
		return ret;
	surface = cairo.image_surface_create(CAIRO_FORMAT_RGB24, (int)ceil(m->width),
					     (int)ceil(m->height));
	cr = cairo.create(surface);
	marks(cr, m, opts->theme);
	status = cairo.status(cr);
	if (!status)
		status = cairo.surface_write_to_png_stream(surface, to_sink, out);
	return finish(cr, surface, status, err);
}

static int draw_pdf(const struct marks *m, const struct backend_options *opts, struct sink *out,
		    struct cdict_error *err)
{
	time_t at = (time_t)m->made_at_s;
	cairo_surface_t *surface;
	char date[32] = "";
	struct tm tm;
	cairo_t *cr;
	int ret = load(err);

	if (ret)
		return ret;
	surface = cairo.pdf_surface_create_for_stream(to_sink, out, m->width * PDF_SCALE,
						      m->height * PDF_SCALE);
	/* the capture's date, not today's: the same input gives the same bytes */
	if (gmtime_r(&at, &tm))
		strftime(date, sizeof(date), "%Y-%m-%dT%H:%M:%SZ", &tm);
	cairo.pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_CREATE_DATE, date);
	if (m->title)
		cairo.pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_TITLE, m->title);
	cairo.pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_CREATOR, "cdict");
	cr = cairo.create(surface);
	cairo.scale(cr, PDF_SCALE, PDF_SCALE);
	marks(cr, m, opts->theme);
	cairo.show_page(cr);
	return finish(cr, surface, CAIRO_STATUS_SUCCESS, err);
}

const struct backend backend_png = { .name = "png", .ending = ".png", .draw = draw_png };
const struct backend backend_pdf = { .name = "pdf", .ending = ".pdf", .draw = draw_pdf };
