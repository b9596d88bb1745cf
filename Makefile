# SPDX-License-Identifier: GPL-2.0-only
# cdict: targets and variables for building and testing.
#
#   make                build/cdict, build/libcdict.a, build/libcdict.so, build/cdict.pc
#   make static         build/cdict-host: one static program, for any Linux on this architecture
#   make roots          root folders of other distributions, to test it in, by debootstrap (ROOT_DIR=build/roots)
#   make demo           install the build dependencies, build, convert a real KVM capture, draw it
#   make test           install the test dependencies, build, run every test
#
#   make setup          install the build dependencies (Debian); silent if there is nothing to do
#   make setup-test     the same, and the test dependencies
#   make unit           unit tests only               make cli      command tests only
#   make lint           layers, headers, licence lines, exports, layout
#   make layers         includes between folders      make headers  public headers compile alone
#   make syntax         clang's warnings for all C files (WERROR=1: as errors), without building them
#   make format-check   layout of C, by clang-format       make format   format C and JavaScript
#   make check-san      unit, command, oracle, ... tests with a sanitizer build; check-tsan: of the
#                       thread sanitizer; check-valgrind: under memcheck
#   make mutants        apply N=500 typical slips to format, convert, analyze, tables: does a test fail for each?
#   make coverage       lines that the tests of COVERED reach, by file (T=pattern: only these tests)
#   make cppcheck       findings in the product's sources that have not been reviewed; make analyzer: the
#                       same by gcc -fanalyzer (FILES="a.c": only in these)
#   make tidy           the same by clang-tidy, with the checks of .clang-tidy (FILES= works, too)
#   make valgrind       tables and conversions under valgrind; make tsan: under the thread sanitizer
#   make golden         rewrite the expected output of tests/cli (CASE=name: of one case); read the diff
#   make pictures       redraw doc/pictures with the commands in the guide and README; look at them
#   make fuzz           run each tests/fuzz/fuzz_*.c for FUZZ_SECONDS (FUZZ=name: only that one; UNTIL=18:00: rounds until then)
#   make standing       run the tests that count kills and full disks, for doc/testing.md
#   make bench          measure the costs of DESIGN section 9 (CAPTURE=file: on that capture); BENCH=scale: of
#                       EVENTS=100000000; BENCH=wide: windows of 16 CPUs
#   make install        also uninstall; honours DESTDIR and prefix; strips, and writes below prefix only
#   make dist           build/dist/cdict-VERSION.tar.xz, which builds without git
#   make deb            Debian packages, in build/deb        make test-deb   install, use and purge them (ROOT_DIR=)
#   make rpm            the same by doc/packaging/cdict.spec.in, in build/rpm
#   make clean          remove build products         make distclean  also libperf
#
# Variables, on the command line:
#   V=1                 show the commands
#   CROSS=aarch64-linux-gnu, s390x-linux-gnu, i386-linux-gnu   cross-compile, in build/aarch64-linux-gnu; unit and cli
#                       run the tests by qemu-user: RUN=qemu-aarch64-static
#   WERROR=1            treat warnings as errors (as CI does)
#   CC=clang            another compiler
#   CFLAGS= LDFLAGS=    appended to cdict's own flags; CFLAGS defaults to -O2 -g
#   SAN=address,undefined   build with sanitizers, in build/san-address-undefined
#   B=dir               build directory; defaults to build
#   ROOMS="base format" build only these folders, while another one does not compile
#   T=pattern           make test: only tests whose name matches the pattern (a regular expression)
#   WASM=0              pages without the engine: complete tables and pictures, but no ranges
#   HIREDIS=0           without libhiredis: jobs of many hosts only in folders, not in Redis
#   JOBS=3              make test, demo: number of parallel jobs
#   FUZZ_SECONDS=30     make fuzz: per target
#   prefix=/usr/local DESTDIR=   make install
#   pythondir=dir       make install: folder of Python modules; below /usr/local the first one that python3 searches
#   dlfilterdir=dir     make install: folder in which perf script looks for filters; with prefix=/usr, perf's own
#   STRIP=:             make install: keep the debug information

VERSION := 0.2.0
SOVERSION := 0

# ---- variables ---------------------------------------------------------------------------------

.SUFFIXES:
.DELETE_ON_ERROR:
MAKEFLAGS += --no-builtin-rules --no-print-directory
SHELL := /bin/sh

comma := ,
# CROSS=aarch64-linux-gnu selects the compiler, its libraries and a separate build; RUN starts the built programs (x86 runs i386 natively).
cross := $(if $(CROSS),$(patsubst i386-%,i686-%,$(CROSS))-)
RUN ?= $(if $(filter-out i386-%,$(CROSS)),qemu-$(firstword $(subst -, ,$(CROSS)))-static)
ifeq ($(origin CC),default)
CC := $(cross)gcc
endif
PKG_CONFIG ?= $(if $(CROSS),PKG_CONFIG_LIBDIR=/usr/lib/$(CROSS)/pkgconfig:/usr/share/pkgconfig )pkg-config
JOBS ?= 3
FUZZ_SECONDS ?= 30
prefix ?= /usr/local
bindir ?= $(prefix)/bin
libdir ?= $(prefix)/lib
includedir ?= $(prefix)/include
mandir ?= $(prefix)/share/man
datadir ?= $(prefix)/share/cdict
docdir ?= $(prefix)/share/doc/cdict
completiondir ?= $(prefix)/share/bash-completion/completions
zshdir ?= $(prefix)/share/zsh/site-functions
fishdir ?= $(prefix)/share/fish/vendor_completions.d
# Where perf looks for filters: its own folder for a system installation, otherwise the folder
# that PERF_EXEC_PATH=$(libdir)/perf-core selects.
pythondir ?= $(or $(if $(filter /usr/local,$(prefix)),$(filter $(prefix)/%,$(shell /usr/bin/python3 -c \
	'import site; print(site.getsitepackages()[0])' 2>/dev/null))),$(prefix)/lib/python3/dist-packages)
dlfilterdir ?= $(or $(if $(filter /usr,$(prefix)),$(shell perf --exec-path 2>/dev/null)),$(libdir)/perf-core)/dlfilters
INSTALL ?= install
STRIP ?= $(cross)strip
OBJCOPY ?= $(cross)objcopy

B ?= build$(if $(CROSS),/$(CROSS))$(if $(SAN),/san-$(subst $(comma),-,$(SAN)))
SANB := build/san-address-undefined

ifeq ($(V),1)
Q :=
say = @:
else
Q := @
say = @printf '  %-8s %s\n'
endif

# ---- dependencies ------------------------------------------------------------------------------
# libcdict needs zlib and the C library only.  The program's packages are in PROGRAM_PKGS or, where
# there is no .pc file (libcsv), in PROGRAM_LIBS; those in LOADED_PKGS need only headers:
# the library is loaded on first use (base/system/shared_object.h).

LIBRARY_PKGS := zlib
# HIREDIS=0, or hiredis is not installed: jobs of many hosts only in folders.
HIREDIS ?= $(if $(shell $(PKG_CONFIG) --exists hiredis 2>/dev/null && echo yes),1,0)
LOADED_PKGS := libcurl cairo jansson sqlite3 $(if $(filter 1,$(HIREDIS)),hiredis)
PROGRAM_PKGS := libtraceevent libzstd libpcre2-8 yaml-0.1 expat $(LOADED_PKGS)
LIBRARY_LIBS := -lm
PROGRAM_LIBS := -lcsv -ldl

missing := $(shell for p in $(LIBRARY_PKGS) $(PROGRAM_PKGS); do \
	$(PKG_CONFIG) --exists $$p 2>/dev/null || echo $$p; done)
present := $(filter-out $(missing),$(LIBRARY_PKGS) $(PROGRAM_PKGS))
PKG_CFLAGS := $(if $(present),$(shell $(PKG_CONFIG) --cflags $(present)))
LIBRARY_PKG_LIBS := $(shell $(PKG_CONFIG) --libs $(filter $(present),$(LIBRARY_PKGS)) 2>/dev/null)
linked := $(filter-out $(LOADED_PKGS),$(filter $(present),$(PROGRAM_PKGS)))
PROGRAM_PKG_LIBS := $(shell $(PKG_CONFIG) --libs $(linked) 2>/dev/null)

# libperf: the system's, else built once from Debian's kernel source into build/deps.
ifeq ($(shell $(PKG_CONFIG) --exists libperf 2>/dev/null && echo yes),yes)
PERF_DEP :=
PERF_CFLAGS := $(shell $(PKG_CONFIG) --cflags libperf)
PERF_LIBS := $(shell $(PKG_CONFIG) --libs libperf)
else
deps := build/deps$(if $(CROSS),-$(CROSS))
PERF_DEP := $(deps)/lib/libperf.a
PERF_CFLAGS := -isystem $(deps)/include
PERF_LIBS := $(PERF_DEP) $(deps)/lib/libapi.a
endif

# ---- flags -------------------------------------------------------------------------------------
# Everything is position-independent and hidden: one set of objects serves the program, both
# libraries and the plugin.  The user's CFLAGS come last.

ifdef SAN
# -g1 is enough for the line numbers of a report, and builds a sixth faster
CFLAGS ?= -O1 -g1
san_flags := -fsanitize=$(SAN) -fno-sanitize-recover=all -fno-omit-frame-pointer
# gcc's shared libubsan loses its log_path next to libasan; tests/run relies on it.
# Without -no-pie, each start relocates 300,000 pointers in the sanitizers' data: 2,000 page faults, 40 % of its CPU.
san_program_flags := -no-pie $(if $(findstring clang,$(CC)),,-static-libubsan)
endif
CFLAGS ?= -O2 -g

warnings := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith \
	-Wwrite-strings -Wundef -Wvla $(if $(filter 1,$(WERROR)),-Werror)
# Exploit mitigations: CET on x86, branch protection on arm64.  Sanitizers have their own.
machine := $(shell $(CC) -dumpmachine 2>/dev/null)
hardening := -fstack-protector-strong $(if $(filter x86_64-%,$(machine)),-fcf-protection,$(if \
	$(filter aarch64-%,$(machine)),-mbranch-protection=standard)) \
	$(if $(SAN)$(findstring _FORTIFY_SOURCE,$(CPPFLAGS)$(CFLAGS)),,$(if $(filter -O%,$(filter-out -O0,$(CFLAGS))),-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2))
hardening_ld := -Wl,-z,relro,-z,now,-z,noexecstack
all_cflags = -std=gnu11 -D_GNU_SOURCE= -D_FILE_OFFSET_BITS=64 -I. -Iinclude $(PKG_CFLAGS) \
	$(PERF_CFLAGS) -fPIC -fvisibility=hidden -fno-semantic-interposition -pthread $(warnings) \
	-DCDICT_BUILD_VERSION='"$(VERSION)"' $(if $(filter 1,$(HIREDIS)),-DCDICT_HIREDIS) $(page_cflags) $(hardening) $(san_flags) $(CPPFLAGS) $(CFLAGS) $(late_cflags)
all_ldflags = -pthread $(hardening_ld) $(san_flags) $(LDFLAGS)
library_libs = $(LIBRARY_PKG_LIBS) $(LIBRARY_LIBS)
program_libs = $(PERF_LIBS) $(PROGRAM_PKG_LIBS) $(PROGRAM_LIBS) $(library_libs)

# ---- sources -----------------------------------------------------------------------------------

ROOMS ?= base format convert capture plugin annotate analyze tables render query cmd
sources = $(sort $(foreach room,$(filter $(1),$(ROOMS)),$(filter-out render/wasm/%,$(wildcard $(room)/*.c $(room)/*/*.c $(room)/*/*/*.c))))
objects = $(patsubst %.c,$(B)/obj/%.o,$(1))

# files of base that only the program may use
program_base := $(filter base/system/shared_object.c,$(call sources,base))
library_objs := $(call objects,$(filter-out $(program_base),$(call sources,base format analyze tables)))
main_obj := $(call objects,$(filter cmd/core/main.c,$(call sources,cmd)))
internal_objs := $(call objects,$(program_base) $(filter-out cmd/core/main.c,\
	$(call sources,convert capture annotate render query cmd)))
plugin_objs := $(call objects,$(call sources,plugin))
# the extension that SQLite loads; without the files that load SQLite
extension_objs := $(call objects,$(filter-out query/sql/database.c query/sql/export.c query/sql/export_parquet.c query/sql/export_rows.c,$(filter query/sql/%,$(call sources,query))))

unit_srcs := $(sort $(wildcard tests/unit/test_*.c tests/unit/*/test_*.c))
tool_srcs := $(sort $(wildcard tests/tools/*/*.c))
mkperf_srcs := $(sort $(wildcard tests/tools/make/mkperf/*.c))
fuzz_srcs := $(sort $(wildcard tests/fuzz/fuzz_*.c))
unit_bins := $(unit_srcs:%.c=$(B)/%)
tool_bins := $(tool_srcs:%.c=$(B)/%)
bench_srcs := $(sort $(wildcard tests/bench/_measure/*.c))
bench_bins := $(bench_srcs:%.c=$(B)/%)
preload_srcs := $(sort $(wildcard tests/tools/run/preload/*.c))
preload_sos := $(preload_srcs:%.c=$(B)/%.so)
fuzz_bins := $(fuzz_srcs:%.c=$(B)/%)
replay_obj := $(B)/obj/tests/fuzz/lib/replay.o

all_objs := $(library_objs) $(main_obj) $(internal_objs) $(plugin_objs) $(replay_obj) \
	$(call objects,$(unit_srcs) $(tool_srcs) $(mkperf_srcs) $(preload_srcs) $(bench_srcs) $(fuzz_srcs))

libcdict_a := $(B)/libcdict.a
libcdict_so := $(B)/libcdict.so
internal_a := $(B)/libinternal.a
program := $(if $(main_obj),$(B)/cdict)
plugin := $(if $(plugin_objs),$(B)/cdict-dlfilter.so)
extension := $(if $(extension_objs),$(B)/cdict_sqlite.so)

# ---- products ----------------------------------------------------------------------------------

.PHONY: all
all: $(libcdict_a) $(libcdict_so) $(B)/cdict.pc $(program) $(plugin) $(extension)

# Report missing packages in one message when a target needs them.
.PHONY: have-library-pkgs have-program-pkgs
have-library-pkgs: absent = $(filter $(missing),$(LIBRARY_PKGS))
have-program-pkgs: absent = $(filter $(missing),$(PROGRAM_PKGS))
have-program-pkgs: have-library-pkgs
have-library-pkgs have-program-pkgs:
	@if [ -n '$(absent)' ]; then \
		echo "cdict needs $(absent), which pkg-config does not find:" \
			"'make setup' installs it on Debian" >&2; exit 1; fi

ifneq ($(PERF_DEP),)
$(PERF_DEP): doc/packaging/libperf.sh
	$(Q)doc/packaging/libperf.sh $(deps) $(cross)
endif

# Files that are rewritten only if their content changes: new flags rebuild the objects, a new
# list of sources the archives.
.PHONY: FORCE
$(B)/flags: content = $(CC) $(all_cflags) / $(all_ldflags) $(program_libs)
$(B)/sources: content = $(all_objs)
$(B)/prefix: content = $(prefix) $(libdir) $(includedir) $(VERSION)
$(B)/flags $(B)/sources $(B)/prefix $(B)/web/engine $(B)/web/d3 build/wasm/flags: FORCE
	@mkdir -p $(@D)
	@printf '%s\n' '$(subst ','\'',$(content))' >$@.$$$$; \
		if cmp -s $@.$$$$ $@; then rm $@.$$$$; else mv $@.$$$$ $@; fi

$(library_objs): | have-library-pkgs
$(filter-out $(library_objs),$(all_objs)): | have-program-pkgs $(PERF_DEP)

$(all_objs): $(B)/obj/%.o: %.c $(B)/flags
	$(say) CC $<
	@mkdir -p $(@D)
	$(Q)$(CC) $(all_cflags) -MMD -MP -c -o $@ $<

# The page of `cdict report`: modules joined by bundle.awk, d3's scales from Debian, the engine, and the policy that
# allows the page's own scripts.  render/page/assets.c includes them in the program.
WEB ?= render/web
# a fifth of d3 has all that the page uses; in the order in which they need each other
d3_parts := $(foreach part,array color interpolate format scale,/usr/share/nodejs/d3-$(part)/dist/d3-$(part).min.js)
D3 ?= $(if $(filter-out $(wildcard $(d3_parts)),$(d3_parts)),/usr/share/nodejs/d3/dist/d3.min.js,$(d3_parts))
page_files := $(addprefix $(B)/web/,page.js worker.js page.css d3.js flame.js flame.css fleet.js fleet.css engine.wasm.gz render/page/page_policy.h \
	render/page/flame_policy.h render/page/fleet_policy.h)
$(B)/obj/render/page/page.o $(B)/obj/render/page/flame_svg.o $(B)/obj/render/page/fleet_page.o $(B)/obj/render/page/assets.o: \
	private page_cflags := -I$(B)/web -DPAGE_WEB='"$(B)/web"'
$(B)/obj/render/page/page.o: $(B)/web/render/page/page_policy.h
$(B)/obj/render/page/flame_svg.o: $(B)/web/render/page/flame_policy.h
$(B)/obj/render/page/fleet_page.o: $(B)/web/render/page/fleet_policy.h
$(B)/obj/render/page/assets.o: $(page_files)
# link-time optimization does not see the symbols of its assembler sources
$(B)/obj/render/page/assets.o: private late_cflags := -fno-lto

# The page's engine: the reader, analyze and the code on top of it, as WebAssembly.  All build
# directories share it.
WASM ?= 1
WASM_CC ?= clang
engine := $(if $(filter 1,$(WASM)),build/wasm/engine.wasm)
# files that no page needs and wasi-libc does not support
engine_leaves := base/system/outdir.c base/system/outfile.c base/system/place.c base/system/procfs.c base/system/shared_object.c
engine_leaves += tables/compare/changes.c tables/compare/changes_list.c tables/compare/merged.c tables/compare/rules.c tables/compare/rules_judge.c
engine_srcs := $(filter-out $(engine_leaves),$(call sources,base format analyze tables)) \
	$(sort $(wildcard render/wasm/*.c render/bins/*.c render/engine/*.c))
engine_objs := $(engine_srcs:%.c=build/wasm/%.o)
engine_cflags := --target=wasm32-wasi -O3 -flto -mbulk-memory -g0 -std=gnu11 -D_GNU_SOURCE= -DNDEBUG -Irender/wasm -I. -Iinclude \
	-D_WASI_EMULATED_MMAN -fvisibility=hidden $(warnings)
engine_ldflags := --target=wasm32-wasi -O3 -flto -mbulk-memory -mexec-model=reactor -Wl,-z,stack-size=1048576 -Wl,--stack-first \
	-Wl,--strip-all -lwasi-emulated-mman -lm
$(B)/web/engine: content = $(engine)
# -Werror does not change the engine: builds with and without it share one
build/wasm/flags: content = $(WASM_CC) $(filter-out -Werror,$(engine_cflags)) $(engine_ldflags) $(engine_objs)
build/wasm/render/wasm/zlib.o: private engine_cflags += -w # stb_image's own
# few rows and texts: small rather than fast
build/wasm/tables/%.o build/wasm/analyze/printing/%.o build/wasm/analyze/guest/%.o \
	$(patsubst %,build/wasm/render/engine/%.o,capture chain inside story tables): private engine_cflags += -Oz
$(engine_objs): build/wasm/%.o: %.c build/wasm/flags
	$(say) WASM $<
	@mkdir -p $(@D)
	$(Q)$(WASM_CC) $(engine_cflags) -MMD -MP -c -o $@ $<
build/wasm/engine.wasm: $(engine_objs)
	$(say) LINK $@
	$(Q)$(WASM_CC) -o $@ $^ $(engine_ldflags)
-include $(wildcard $(engine_objs:.o=.d))

$(B)/web/page.js: entry := main.js
$(B)/web/worker.js: entry := engine/worker.js
$(B)/web/flame.js: entry := flame/main.js
$(B)/web/fleet.js: entry := fleet/main.js
$(B)/web/page.js $(B)/web/worker.js $(B)/web/flame.js $(B)/web/fleet.js: $(wildcard $(WEB)/*.js $(WEB)/*/*.js $(WEB)/*/*/*.js) render/web/build/bundle.awk
	$(say) BUNDLE $@
	@mkdir -p $(@D)
	$(Q)awk -f render/web/build/bundle.awk -v entry=$(WEB)/$(entry) </dev/null >$@
$(B)/web/fleet.css: $(WEB)/ui/style.css $(WEB)/fleet/fleet.css
$(B)/web/page.css: $(wildcard $(WEB)/ui/*.css)
$(B)/web/page.css $(B)/web/fleet.css: render/web/build/style.sed
	$(say) GEN $@
	@mkdir -p $(@D)
	$(Q)cat $(sort $(filter %.css,$^)) /dev/null | sed -Ef render/web/build/style.sed >$@
$(B)/web/flame.css: $(WEB)/ui/flame.css
	@mkdir -p $(@D)
	$(Q)tr -d '\r' <$< >$@
$(B)/web/d3: content = $(D3)
$(B)/web/d3.js: $(B)/web/d3
	@mkdir -p $(@D)
	@cat $(D3) >$@.part 2>/dev/null || { echo "cdict needs d3.min.js, but cannot read $(D3) (set another path with D3=file):" \
			"'make setup' installs it on Debian" >&2; exit 1; }
	@! grep -q '</script\|<!--' $@.part || \
		{ echo "$(D3) contains </script or <!--: it cannot be inlined" >&2; exit 1; }
	$(Q)tr -d '\r' <$@.part >$@ && rm $@.part
$(B)/web/engine.wasm.gz: $(engine) $(B)/web/engine
	@mkdir -p $(@D)
	$(Q)$(if $(engine),gzip -9n <$(engine),:) >$@
$(B)/web/render/page/page_policy.h: $(addprefix $(B)/web/,page.css d3.js page.js engine) render/web/build/policy.sh
	$(say) GEN $@
	@mkdir -p $(@D)
	$(Q)render/web/build/policy.sh $(if $(engine),wasm-unsafe-eval) $(B)/web/page.css $(B)/web/d3.js $(B)/web/page.js >$@

$(B)/web/render/page/fleet_policy.h: $(B)/web/fleet.js $(B)/web/fleet.css render/web/build/policy.sh
	$(say) GEN $@
	@mkdir -p $(@D)
	$(Q)render/web/build/policy.sh $(B)/web/fleet.css $(B)/web/fleet.js | sed 's/PAGE_POLICY/FLEET_POLICY/' >$@

# its style has the palette's colours, which the program prints
$(B)/web/render/page/flame_policy.h: $(B)/web/flame.js $(B)/web/flame.css render/web/build/policy.sh
	$(say) GEN $@
	@mkdir -p $(@D)
	$(Q)render/web/build/policy.sh $(B)/web/flame.css $(B)/web/flame.js | \
		sed "s/PAGE_POLICY/FLAME_POLICY/; s/style-src '[^']*'/style-src 'unsafe-inline'/" >$@

ifdef MUTANTS
# One library that all programs load, so that a changed object needs one link (tests/mutants/mutants.py).
libcdict_a :=
internal_a := $(B)/libmutant.so
$(internal_a): $(internal_objs) $(library_objs) $(B)/sources
	$(say) LINK $@
	$(Q)$(CC) -shared -Wl,-soname,$(@F) -o $@ $(filter %.o,$^) $(all_ldflags) $(program_libs)
else
$(libcdict_a): $(library_objs) $(B)/sources
$(internal_a): $(internal_objs) $(B)/sources
$(libcdict_a) $(internal_a):
	$(say) AR $@
	@rm -f $@
	$(Q)$(cross)ar rcs $@ $(filter %.o,$^)
endif

$(libcdict_so): $(library_objs) format/libcdict.map $(B)/sources
	$(say) LINK $@
	$(Q)$(CC) -shared -Wl,-soname,libcdict.so.$(SOVERSION) \
		-Wl,--version-script=format/libcdict.map $(if $(SAN),,-Wl$(comma)-z$(comma)defs) \
		-o $@ $(filter %.o,$^) $(all_ldflags) $(library_libs)
	@ln -sf libcdict.so $(B)/libcdict.so.$(SOVERSION)

$(B)/cdict: $(main_obj) $(internal_a) $(libcdict_a)
	$(say) LINK $@
	$(Q)$(CC) -o $@ $^ $(all_ldflags) $(san_program_flags) $(program_libs)

# The same objects without shared libraries; libraries loaded on demand are left out (base/system/shared_object.c).
static_obj := $(B)/obj/static/base/system/shared_object.o
static_pkgs := $(filter-out $(LOADED_PKGS),$(LIBRARY_PKGS) $(PROGRAM_PKGS))
static_libs = $(PERF_LIBS) $(shell $(PKG_CONFIG) --static --libs $(static_pkgs) 2>/dev/null) $(PROGRAM_LIBS) $(LIBRARY_LIBS)
static_missing := $(if $(SAN),all,$(shell for lib in c z traceevent zstd pcre2-8 yaml expat csv; do \
	$(CC) -print-file-name=lib$$lib.a 2>/dev/null | grep -q / || echo lib$$lib.a; done))
.PHONY: static have-static
static: $(B)/cdict-host
have-static:
	@if [ -n '$(static_missing)' ]; then echo "the static program needs $(static_missing)" >&2; exit 1; fi
$(static_obj): base/system/shared_object.c $(B)/flags
	$(say) CC $@
	@mkdir -p $(@D)
	$(Q)$(CC) $(all_cflags) -DCDICT_STATIC -MMD -MP -c -o $@ $<
$(B)/cdict-host: $(static_obj) $(main_obj) $(internal_a) $(libcdict_a) | have-static
	$(say) LINK $@
	$(Q)$(CC) -static-pie -s -Wl,--gc-sections,--wrap=dlopen -o $@ $(filter %.o %.a,$^) $(all_ldflags) $(static_libs)
-include $(static_obj:.o=.d)

# perf loads it: only the needed objects, with a private, hidden copy of libtraceevent, because
# perf exports some functions of another version, which a shared one would bind to.
traceevent_a := $(wildcard $(shell $(PKG_CONFIG) --variable=libdir libtraceevent 2>/dev/null)/libtraceevent.a)
plugin_libs = $(if $(traceevent_a),$(patsubst -ltraceevent,$(traceevent_a),$(program_libs)),$(program_libs))
$(B)/cdict-dlfilter.so: $(plugin_objs) $(internal_a) $(libcdict_a) plugin/dlfilter.map $(B)/sources
	$(say) LINK $@
	$(Q)$(CC) -shared -Wl,--version-script=plugin/dlfilter.map -Wl,-Bsymbolic -Wl,--as-needed \
		$(if $(SAN),,-Wl$(comma)-z$(comma)defs) -o $@ $(filter %.o %.a %.so,$^) $(all_ldflags) \
		$(plugin_libs)

# SQLite loads it and passes its functions: it is not linked with SQLite.
$(B)/cdict_sqlite.so: $(extension_objs) $(or $(libcdict_a),$(internal_a)) query/sql/cdict_sqlite.map $(B)/sources
	$(say) LINK $@
	$(Q)$(CC) -shared -Wl,--version-script=query/sql/cdict_sqlite.map -Wl,-Bsymbolic -Wl,--as-needed \
		$(if $(SAN),,-Wl$(comma)-z$(comma)defs) -o $@ $(filter %.o %.a %.so,$^) $(all_ldflags) $(library_libs)

$(B)/cdict.pc: doc/packaging/cdict.pc.in $(B)/prefix
	$(say) GEN $@
	$(Q)sed -e 's|@prefix@|$(prefix)|' -e 's|@libdir@|$(libdir)|' \
		-e 's|@includedir@|$(includedir)|' -e 's|@version@|$(VERSION)|' doc/packaging/cdict.pc.in >$@

# Test programs: unit tests, tools, fuzz targets.  The linker takes only the used objects
# from the archives.  FUZZER=1 links the targets with libFuzzer's main; otherwise replay.c runs each named file once.
test_json := -Wl,--as-needed $(or $(shell $(PKG_CONFIG) --libs jansson 2>/dev/null),-ljansson) -Wl,--no-as-needed
$(unit_bins): test_libs := -lcmocka $(test_json)
$(tool_bins): test_libs := $(test_json)
$(fuzz_bins): test_libs := $(if $(FUZZER),-fsanitize=fuzzer) $(test_json)
$(fuzz_bins): $(if $(FUZZER),,$(replay_obj))
$(B)/tests/tools/make/mkperf: $(call objects,$(mkperf_srcs))
$(unit_bins) $(tool_bins) $(fuzz_bins): $(B)/%: $(B)/obj/%.o $(internal_a) $(libcdict_a)
	$(say) LINK $@
	@mkdir -p $(@D)
	$(Q)$(CC) -o $@ $(filter %.o,$^) $(internal_a) $(libcdict_a) $(test_libs) $(all_ldflags) \
		$(san_program_flags) $(program_libs)

# Small benchmarks for cdict sweep; they do not use cdict's code.
$(bench_bins): $(B)/%: $(B)/obj/%.o
	$(say) LINK $@
	@mkdir -p $(@D)
	$(Q)$(CC) -o $@ $< $(all_ldflags) $(san_program_flags)

# Libraries that tests preload into programs: without sanitizers and coverage.
$(preload_srcs:%.c=$(B)/obj/%.o): private san_flags := -fvisibility=default
$(preload_srcs:%.c=$(B)/obj/%.o): override private CFLAGS := $(filter-out --coverage,$(CFLAGS))
$(preload_sos): $(B)/%.so: $(B)/obj/%.o
	$(say) LINK $@
	@mkdir -p $(@D)
	$(Q)$(CC) -shared -o $@ $<

-include $(wildcard $(all_objs:.o=.d))

# ---- setup, demo, test -------------------------------------------------------------------------
# A fresh machine lacks compiler and pkg-config when this file is read, so the steps after an install
# run in a separate make.

parallel = $(if $(filter -j%,$(MAKEFLAGS)),,-j$(JOBS))

.PHONY: setup setup-test demo roots
ROOT_DIR ?= build/roots
roots:
	@tests/tools/source/roots.sh $(ROOT_DIR)
setup:
	@doc/packaging/setup.sh build
setup-test:
	@doc/packaging/setup.sh test

demo: setup
	@$(MAKE) $(parallel) all
	@doc/packaging/demo.sh $(B)

.PHONY: test test-build unit cli lint layers headers format-check format check-san check-tsan check-valgrind golden
test: setup-test
	@$(MAKE) $(parallel) $(if $(filter true,$(CI)),WERROR=1) test-build || \
		{ echo "the build failed, no test ran"; echo "0 passed, 1 failed, 0 skipped"; exit 1; }
	@JOBS=$(JOBS) tests/run $(if $(T),-t '$(T)')

test-build: to-install $(if $(static_missing),,static) $(unit_bins) $(tool_bins) $(bench_bins) $(preload_sos) $(fuzz_bins)

# The programs that tests/run runs with the sanitizers.
.PHONY: san-build
san-build: $(program) $(unit_bins) $(fuzz_bins) $(addprefix $(B)/tests/tools/,check/addup check/dumpevents check/twoparts make/proctree)

unit: $(unit_bins)
	@JOBS=$(JOBS) RUN='$(RUN)' tests/run -b $(B) $(if $(T),-t '$(T)') unit

cli: all $(tool_bins)
	@JOBS=$(JOBS) RUN='$(RUN)' tests/run -b $(B) $(if $(T),-t '$(T)') cli

lint: $(libcdict_so)
	@JOBS=$(JOBS) tests/run -b $(B) lint

layers headers:
	@CC='$(CC)' tests/lint/$@.sh
format-check:
	@tests/lint/format.sh
format:
	@clang-format -i $$(git ls-files '*.[ch]')
	@node tests/lint/javascript.mjs fix $$(git ls-files 'render/web/*.js' 'tests/*.mjs')

# All rooms of tests but those of the sources and of costs; SANITIZED="unit cli": only these.
SANITIZED ?= unit cli fuzz $(filter-out unit cli fuzz compile lint bench data tools mutants,\
	$(patsubst tests/%/,%,$(sort $(wildcard tests/*/))))
check-san:
	@$(MAKE) $(parallel) B=$(SANB) SAN=address,undefined test-build
	@JOBS=$(JOBS) tests/run -b $(SANB) $(if $(T),-t '$(T)') $(SANITIZED)
check-tsan:
	@$(MAKE) $(parallel) B=build/san-thread SAN=thread test-build
	@JOBS=$(JOBS) tests/run -b build/san-thread $(if $(T),-t '$(T)') $(SANITIZED)
# unit, command and fuzz tests whole; the others with a part of their calls (SAMPLE=1, SAMPLE=2, ...: another part)
check-valgrind: test-build
	@status=0; JOBS=$(JOBS) RUN=valgrind tests/run -b $(B) $(if $(T),-t '$(T)') $(filter unit cli fuzz,$(SANITIZED)) || status=1; \
	JOBS=$(JOBS) RUN=valgrind MEMCHECK_SHARE=4 FEW=3 tests/run -b $(B) $(if $(T),-t '$(T)') \
		$(filter-out unit cli fuzz,$(SANITIZED)) || status=1; exit $$status

golden: all $(tool_bins)
	@tests/run -b $(B) -g $(if $(CASE),-t '^cli/$(CASE)$$') cli

.PHONY: pictures
pictures: all
	@TOP='$(CURDIR)' CDICT='$(abspath $(B))/cdict' tests/tools/run/pictures.sh doc/pictures

# N slips chosen by SEED, in all folders, in ROOM=format or at PLACE=format/get.c:12; TELL=1: each with its test;
# THOROUGH=1: also run slow tests.
N ?= 500
SEED ?= 1
.PHONY: mutants mutants-judge
mutants:
	@$(MAKE) $(parallel) B=build/mutants MUTANTS=1 CFLAGS='-O1 -fvisibility=default' mutants-judge
mutants-judge: $(B)/cdict $(B)/cdict-dlfilter.so $(B)/cdict_sqlite.so $(unit_bins) $(tool_bins) $(preload_sos) $(fuzz_bins)
	@MUTANT_CC='$(subst ','\'',$(CC) $(all_cflags))' MUTANT_LIBS='$(all_ldflags) $(program_libs)' \
		MUTANT_OBJECTS='$(internal_objs) $(library_objs)' JOBS=$(JOBS) \
		python3 tests/mutants/mutants.py $(B) $(N) $(SEED) $(ROOM)

.PHONY: coverage cppcheck analyzer tidy valgrind tsan syntax
COVERED ?= unit cli openstack faults
coverage:
	@$(MAKE) $(parallel) B=build/coverage CFLAGS='-O1 -g1 --coverage -include tests/tools/source/coverage.h' LDFLAGS=--coverage test-build
	@find build/coverage -name '*.gcda' -delete
	@GCOV_ERROR_FILE=/dev/null JOBS=$(JOBS) tests/run -b build/coverage $(if $(T),-t '$(T)') $(COVERED) || :
	@COVERED='$(COVERED)' tests/tools/source/coverage.sh build/coverage

# all sources of the product, or FILES="a.c b.c"
analysed = FILES='$(or $(FILES),$(filter-out render/page/assets.c,$(call sources,$(ROOMS))))'
cppcheck:
	@$(analysed) tests/tools/source/cppcheck.sh
# with the compiler's flags; the page's generated files are built first
analysed_flags = $(filter-out -W%,$(all_cflags)) -I$(B)/web -DPAGE_WEB='"$(B)/web"'
analyzer: $(page_files)
	@JOBS=$(JOBS) $(analysed) tests/tools/source/analyzer.sh $(B)/analyzer $(CC) $(analysed_flags)
tidy: $(page_files)
	@JOBS=$(JOBS) $(analysed) tests/tools/source/tidy.sh $(B)/analyzer $(filter-out -W% -f%,$(all_cflags)) -I$(B)/web -DPAGE_WEB='"$(B)/web"'
syntax: $(page_files)
	@JOBS=$(JOBS) FILES='$(sort $(all_objs:$(B)/obj/%.o=%.c) $(extension_objs:$(B)/obj/%.o=%.c))' \
		tests/tools/source/syntax.sh clang $(all_cflags) -I$(B)/web -DPAGE_WEB='"$(B)/web"'
valgrind: all
	@tests/tools/source/valgrind.sh $(B)/cdict
tsan:
	@$(MAKE) $(parallel) B=build/tsan SAN=thread all
	@tests/tools/source/tsan.sh build/tsan/cdict

# ---- fuzz, bench -------------------------------------------------------------------------------

.PHONY: fuzz fuzz-build bench
fuzz-build: $(fuzz_bins)
# Unrolled and instrumented by libFuzzer and two sanitizers, this takes minutes of register allocation.
$(if $(FUZZER),$(B)/obj/format/coding/encode_fields.o: private CFLAGS += -O0)
fuzz:
	@$(MAKE) $(parallel) B=build/fuzz CC=clang SAN=fuzzer-no-link,address,undefined FUZZER=1 \
		fuzz-build
	@$(MAKE) $(parallel) B=build/fuzz-quick CC=clang SAN=fuzzer-no-link FUZZER=1 CFLAGS='-O2 -g1 -fno-sanitize-coverage=trace-cmp' fuzz-build
	@UNTIL='$(UNTIL)' tests/tools/source/fuzz.sh build/fuzz $(FUZZ_SECONDS) $(FUZZ)

# The figures in doc/testing.md that are sums over tests; `make mutants`, `make fuzz` and `make coverage` write theirs.
.PHONY: standing
standing: all static $(tool_bins) $(preload_sos)
	@JOBS=$(JOBS) tests/tools/source/standing.sh collect $(B)

# BENCH=scale, wide, record, ...: that script of tests/bench/_measure instead of all
BENCH ?= run
bench: all $(addprefix $(B)/tests/tools/make/,fleetload mkhost mkjob mkperf mkswitches)
	@CDICT=$(abspath $(B)/cdict) $(foreach tool,fleetload mkhost mkjob mkperf mkswitches,\
		$(shell echo $(tool) | tr a-z A-Z)=$(abspath $(B)/tests/tools/make/$(tool))) \
		CAPTURE='$(CAPTURE)' tests/bench/_measure/$(BENCH).sh

# ---- install, clean, help ----------------------------------------------------------------------

.PHONY: to-install install install-built uninstall clean distclean help
man1 := $(filter-out doc/cdict-host.1,$(sort $(wildcard doc/*.1)))
man3 := $(sort $(wildcard doc/*.3))
man5 := $(sort $(wildcard doc/*.5))
man7 := $(sort $(wildcard doc/*.7))
public_headers := $(sort $(wildcard include/cdict/*.h))
completions := $(if $(program),$(addprefix $(B)/completion/,cdict.bash _cdict cdict.fish))
manpages := $(if $(program),$(man1:doc/%=$(B)/man/%))

$(B)/completion/cdict.bash: shell := bash
$(B)/completion/_cdict: shell := zsh
$(B)/completion/cdict.fish: shell := fish
$(completions): $(B)/cdict
	$(say) GEN $@
	@mkdir -p $(@D)
	$(Q)$(RUN) $(B)/cdict --completion $(shell) >$@

# The commands' pages have their options from the program.
$(B)/man/help: $(B)/cdict doc/packaging/manpages.awk doc/options.man $(man1)
	$(say) GEN '$(@D)/*.1'
	@mkdir -p $(@D) && rm -f $(@D)/*.1
	$(Q)commands=$$($(RUN) $(B)/cdict help | sed -n 's/^  \([a-z]*\)  .*/\1/p') && \
		for command in $$commands; do $(RUN) $(B)/cdict help $$command || exit; done >$@
	$(Q)awk -v out=$(@D) -f doc/packaging/manpages.awk $@ doc/options.man $(man1)

# The static library exports only the API: one object, with all other symbols local.
$(B)/installed/libcdict.a: $(library_objs) format/libcdict.map $(B)/sources
	$(say) AR $@
	@mkdir -p $(@D) && rm -f $@
	$(Q)sed -n 's/^\t\(cdict_[a-z0-9_]*\);$$/\1/p' format/libcdict.map >$(@D)/names
	$(Q)$(CC) $(filter-out -pthread,$(all_cflags)) -r -nostdlib $(if $(findstring -flto,$(CFLAGS)),-flinker-output=nolto-rel) \
		-o $(@D)/libcdict.o $(filter %.o,$^)
	$(Q)$(OBJCOPY) --keep-global-symbols=$(@D)/names $(@D)/libcdict.o
	$(Q)$(cross)ar rcs $@ $(@D)/libcdict.o

# What users read, beside the manual pages; the others are for who changes cdict.
installed_docs := $(filter-out doc/HACKING.md doc/page.md,$(wildcard doc/*.md)) doc/notebook.ipynb
to-install: all $(completions) $(if $(manpages),$(B)/man/help) $(B)/installed/libcdict.a
install: to-install
	@$(MAKE) install-built

# Installs without building, so that a test installs the build that it tests.
install-built:
	$(say) INSTALL '$(DESTDIR)$(prefix)'
	$(Q)$(INSTALL) -d '$(DESTDIR)$(libdir)/pkgconfig' '$(DESTDIR)$(includedir)/cdict'
	$(Q)$(INSTALL) -m 644 $(public_headers) '$(DESTDIR)$(includedir)/cdict'
	$(Q)$(INSTALL) -m 644 $(B)/installed/libcdict.a '$(DESTDIR)$(libdir)'
	$(Q)$(STRIP) --strip-debug '$(DESTDIR)$(libdir)/libcdict.a'
	$(Q)$(INSTALL) -m 755 $(libcdict_so) '$(DESTDIR)$(libdir)/libcdict.so.$(VERSION)'
	$(Q)$(STRIP) --strip-unneeded '$(DESTDIR)$(libdir)/libcdict.so.$(VERSION)'
	$(Q)ln -sf libcdict.so.$(VERSION) '$(DESTDIR)$(libdir)/libcdict.so.$(SOVERSION)'
	$(Q)ln -sf libcdict.so.$(SOVERSION) '$(DESTDIR)$(libdir)/libcdict.so'
	$(Q)$(INSTALL) -m 644 $(B)/cdict.pc '$(DESTDIR)$(libdir)/pkgconfig'
ifneq ($(program),)
	$(Q)$(INSTALL) -d '$(DESTDIR)$(bindir)'
	$(Q)$(INSTALL) -m 755 $(program) '$(DESTDIR)$(bindir)'
	$(Q)$(STRIP) '$(DESTDIR)$(bindir)/cdict'
endif
ifneq ($(plugin),)
	$(Q)$(INSTALL) -d '$(DESTDIR)$(libdir)/cdict'
	$(Q)$(INSTALL) -m 755 $(plugin) '$(DESTDIR)$(libdir)/cdict'
	$(Q)$(STRIP) --strip-unneeded '$(DESTDIR)$(libdir)/cdict/$(notdir $(plugin))'
	$(Q)$(INSTALL) -d '$(DESTDIR)$(dlfilterdir)'
	$(Q)ln -sf '$(libdir)/cdict/$(notdir $(plugin))' '$(DESTDIR)$(dlfilterdir)'
endif
ifneq ($(extension),)
	$(Q)$(INSTALL) -m 755 $(extension) '$(DESTDIR)$(libdir)'
	$(Q)$(STRIP) --strip-unneeded '$(DESTDIR)$(libdir)/$(notdir $(extension))'
endif
	$(Q)$(INSTALL) -d '$(DESTDIR)$(pythondir)/cdict'
	$(Q)$(INSTALL) -m 644 query/python/cdict/*.py '$(DESTDIR)$(pythondir)/cdict'
	$(Q)for page in $(manpages) $(man3) $(man5) $(man7); do \
		$(INSTALL) -D -m 644 "$$page" "$(DESTDIR)$(mandir)/man$${page##*.}/$${page##*/}" || exit; done
	$(Q)$(INSTALL) -D -m 644 doc/grafana.json '$(DESTDIR)$(datadir)/grafana.json'
	$(Q)$(INSTALL) -d '$(DESTDIR)$(docdir)/pictures'
	$(Q)$(INSTALL) -m 644 $(installed_docs) '$(DESTDIR)$(docdir)'
	$(Q)$(INSTALL) -m 644 $(wildcard doc/pictures/*) '$(DESTDIR)$(docdir)/pictures'
ifneq ($(completions),)
	$(Q)$(INSTALL) -D -m 644 $(B)/completion/cdict.bash '$(DESTDIR)$(completiondir)/cdict'
	$(Q)$(INSTALL) -D -m 644 $(B)/completion/_cdict '$(DESTDIR)$(zshdir)/_cdict'
	$(Q)$(INSTALL) -D -m 644 $(B)/completion/cdict.fish '$(DESTDIR)$(fishdir)/cdict.fish'
endif

uninstall:
	$(say) REMOVE '$(DESTDIR)$(prefix)'
	$(Q)rm -f '$(DESTDIR)$(bindir)/cdict' '$(DESTDIR)$(libdir)'/libcdict.a '$(DESTDIR)$(libdir)'/cdict_sqlite.so \
		'$(DESTDIR)$(libdir)'/libcdict.so* '$(DESTDIR)$(libdir)/pkgconfig/cdict.pc' \
		$(patsubst doc/%,'$(DESTDIR)$(mandir)/man1/%',$(man1)) \
		$(patsubst doc/%,'$(DESTDIR)$(mandir)/man3/%',$(man3)) \
		$(patsubst doc/%,'$(DESTDIR)$(mandir)/man5/%',$(man5)) \
		$(patsubst doc/%,'$(DESTDIR)$(mandir)/man7/%',$(man7)) \
		'$(DESTDIR)$(completiondir)/cdict' '$(DESTDIR)$(zshdir)/_cdict' '$(DESTDIR)$(fishdir)/cdict.fish' \
		'$(DESTDIR)$(dlfilterdir)/cdict-dlfilter.so'
	$(Q)rm -rf '$(DESTDIR)$(includedir)/cdict' '$(DESTDIR)$(libdir)/cdict' '$(DESTDIR)$(pythondir)/cdict' '$(DESTDIR)$(datadir)' \
		'$(DESTDIR)$(docdir)'

# ---- packages -----------------------------------------------------------------------------------

.PHONY: dist deb test-deb rpm
dist_tar := build/dist/cdict-$(VERSION).tar.xz
dist:
	@doc/packaging/dist.sh $(VERSION) $(dist_tar)
deb: dist
	@doc/packaging/deb.sh $(VERSION) $(dist_tar) build/deb
rpm: dist
	@doc/packaging/rpm.sh $(VERSION) $(dist_tar) build/rpm
test-deb: dist
	@tests/tools/source/test-deb.sh $(VERSION) $(dist_tar) $(ROOT_DIR)

clean:
	$(say) CLEAN build
	$(Q)find build -mindepth 1 -maxdepth 1 ! -name 'deps*' ! -name roots -exec rm -rf {} + 2>/dev/null || :

distclean:
	$(say) CLEAN 'build, with libperf'
	$(Q)rm -rf build

help:
	@sed -n '2,/^$$/s/^# \{0,1\}//p' Makefile
