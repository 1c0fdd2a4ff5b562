# Builds, tests and installs contactd. `make help` lists the targets.
#
# The layers are server -> api -> engine. Each layer is compiled with the include paths of the layers
# that it may use; `make layers` checks the undefined symbols of the objects.

BUILD    ?= build
# make run, bench and install build in RELEASE_BUILD, without assertions. The build in BUILD has
# assertions, for development and tests.
RELEASE_BUILD ?= $(BUILD)/release
RELEASE  ?=
RELEASE_OPTIONS ?= RELEASE=1
CC       ?= gcc
OPT      ?= -O2
SANITIZE ?=
VERSION  := 0.1.0
PREFIX   ?= /usr/local
DESTDIR  ?=
# make V=1 prints the commands.
Q        := $(if $(V),,@)

ifeq ($(origin CC),default)
CC := gcc
endif

WARN := -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla -Wformat=2 -Werror
HARDEN := -fstack-protector-strong -fPIE $(if $(SANITIZE),,-U_FORTIFY_SOURCE $(if $(filter -O0,$(OPT)),,-D_FORTIFY_SOURCE=2))
COMPILE := -std=c17 $(OPT) -g -ffp-contract=off -fno-delete-null-pointer-checks -fno-math-errno -fvisibility=hidden -MMD -MP $(HARDEN) \
        $(WARN) $(if $(RELEASE),-DNDEBUG) $(SANITIZE) $(EXTRA_CFLAGS)
LINK := -pie -Wl,-z,relro,-z,now,-z,noexecstack $(SANITIZE) $(EXTRA_CFLAGS)
# The number in SONAME changes with the ABI. Before 1.0 the version of the symbols in
# engine/libcontact.map changes with each ABI, too. Sanitizer builds have no shared library.
SONAME := libcontact.so.0
SHARED := $(if $(SANITIZE),,$(BUILD)/$(SONAME))

ENGINE_SRC := $(filter-out engine/example%,$(wildcard engine/*/*.c))
API_SRC    := $(filter-out api/example%,$(wildcard api/*/*.c))
SERVER_SRC := $(wildcard server/*/*.c)
ENGINE_OBJ := $(ENGINE_SRC:%.c=$(BUILD)/%.o)
API_OBJ    := $(API_SRC:%.c=$(BUILD)/%.o) $(BUILD)/api/openapi_json.o
SERVER_OBJ := $(SERVER_SRC:%.c=$(BUILD)/%.o)
TEST_SRC   := $(wildcard tests/unit/test_*.c tests/oracle/test_*.c tests/property/test_*.c tests/store/test_*.c)
TEST_BIN   := $(TEST_SRC:%.c=$(BUILD)/%)
TEST_LIB   := $(addprefix $(BUILD)/tests/support/,heap_count.so failing_sync.so short_io.so slow_names.so jump_clock.so entry_trace.so)
# Programs that need headers which only make bench installs are left out.
BENCH_SRC  := $(filter-out %/ode.c %/qhull.c %/qhull_common.c,$(wildcard tests/bench/*.c tests/bench/*/*.c))
PEER_BIN   := $(patsubst %.cpp,$(BUILD)/%,$(wildcard tests/peers/*.cpp))

ENGINE_FLAGS := -Iengine/include -Iengine
API_FLAGS    := -Iengine/include -Iapi/include -Iapi -DCONTACTD_VERSION='"$(VERSION)"'
SERVER_FLAGS := -Iengine/include -Iapi/include -Iserver -D_POSIX_C_SOURCE=200809L -D_GNU_SOURCE -DCONTACTD_VERSION='"$(VERSION)"'
TEST_FLAGS   := -Iengine/include -Iengine -Iapi/include -Iapi -Iserver -I. -D_GNU_SOURCE
STORE_LIBS   := -luv -lsqlite3 -lhiredis
TEST_LIBS    := -ljansson -lnettle -lm -lpthread
SERVER_LIBS  := -lmicrohttpd $(STORE_LIBS) -ljansson -lnettle -lm -lpthread

.DEFAULT_GOAL := build
.PHONY: build
build: $(BUILD)/contactd $(BUILD)/libcontact.a $(SHARED) ## build the daemon and the library with assertions, for development

.PHONY: release
release: ## build the daemon and the library without assertions, in build/release
	@$(MAKE) --no-print-directory -j2 BUILD=$(RELEASE_BUILD) $(RELEASE_OPTIONS) build

# These files have short loops of constant length, which only -O3 unrolls. Results are bit-identical
# with both levels.
O3_NAMES := manifold_box_axis box_box hull_cull_points friction_newton
O3_OBJ   := $(foreach name,$(O3_NAMES),$(filter %/$(name).o,$(ENGINE_OBJ)))
$(if $(filter 4,$(words $(O3_OBJ))),,$(error O3_NAMES names files that are not there))
$(O3_OBJ): COMPILE := $(COMPILE:-O2=-O3)

# ---- compiler flags are prerequisites -------------------------------------------------------------------------------------

# $(BUILD)/flags/<name> contains FLAGS_<name>. The file is written only when its text changes, so a
# change of compiler, compiler version or flags rebuilds exactly the objects that depend on it.
COMPILER      := $(CC) $(shell $(CC) -dumpfullversion 2>/dev/null || $(CC) -dumpversion)
FLAGS_engine  := $(COMPILER) $(COMPILE) $(ENGINE_FLAGS) -O3: $(O3_NAMES)
FLAGS_api     := $(COMPILER) $(COMPILE) $(API_FLAGS)
FLAGS_server  := $(COMPILER) $(COMPILE) $(SERVER_FLAGS)
FLAGS_tests   := $(COMPILER) $(COMPILE) $(TEST_FLAGS)
FLAGS_link    := $(COMPILER) $(LINK) $(SERVER_LIBS) $(TEST_LIBS)
# The list of objects is a prerequisite of the archives, so that they drop deleted and moved files.
FLAGS_objects := $(ENGINE_OBJ) $(API_OBJ) $(SERVER_OBJ)

.PHONY: always
differ = $(subst $(1),,$(2))$(subst $(2),,$(1))
stamp  = $(if $(call differ,$(strip $(file < $(BUILD)/flags/$(1))),$(strip $(FLAGS_$(1)))),$(BUILD)/flags/$(1): always)
$(foreach name,engine api server tests link objects,$(eval $(call stamp,$(name))))
$(BUILD)/flags/%:
	@mkdir -p $(@D)
	@printf '%s\n' '$(subst ','\'',$(FLAGS_$*))' > $@

# ---- objects and programs -------------------------------------------------------------------------------------------------

$(BUILD)/engine/%.o: engine/%.c $(BUILD)/flags/engine
	@mkdir -p $(@D)
	@echo "CC $@"
	$(Q)$(CC) $(COMPILE) $(ENGINE_FLAGS) -c $< -o $@

$(BUILD)/api/%.o: api/%.c $(BUILD)/flags/api
	@mkdir -p $(@D)
	@echo "CC $@"
	$(Q)$(CC) $(COMPILE) $(API_FLAGS) -c $< -o $@

$(BUILD)/server/%.o: server/%.c $(BUILD)/flags/server
	@mkdir -p $(@D)
	@echo "CC $@"
	$(Q)$(CC) $(COMPILE) $(SERVER_FLAGS) -c $< -o $@

# The OpenAPI document is embedded without line breaks, indentation and most blanks between tokens,
# which are more than a third of its size. The sed script relies on two properties: a quote within a
# string is escaped by a backslash, and no string contains a line break.
$(BUILD)/api/openapi_json.c: api/openapi.json Makefile
	@mkdir -p $(@D)
	@{ printf '#include "handlers/openapi_bytes.h"\nconst unsigned char api_openapi_bytes[] = {\n'; sed 's/^ *//; s/\([^\\]\)": /\1":/g; s/\([^\\]\)", "/\1","/g' $< | tr -d '\n' | od -An -v -tu1 | sed 's/\([0-9][0-9]*\)/\1,/g'; \
	  printf '};\nconst size_t api_openapi_length = sizeof api_openapi_bytes;\n'; } > $@

$(BUILD)/api/openapi_json.o: $(BUILD)/api/openapi_json.c $(BUILD)/flags/api
	@echo "CC $@"
	$(Q)$(CC) $(COMPILE) $(API_FLAGS) -c $< -o $@

$(BUILD)/libcontact.a: $(ENGINE_OBJ) $(BUILD)/flags/objects
	@rm -f $@
	$(Q)ar rcs $@ $(ENGINE_OBJ)

# The shared library is linked from the objects of the static library, which are compiled with -fPIE.
# This is sufficient: all symbols except those of the public headers are hidden, and
# -Bsymbolic-functions binds calls between public functions inside the library. With -z text the
# linker rejects relocations in code.
$(BUILD)/$(SONAME): $(ENGINE_OBJ) engine/libcontact.map $(BUILD)/flags/objects $(BUILD)/flags/link
	@echo "LD $@"
	$(Q)$(CC) -shared -Wl,-soname,$(SONAME),--version-script=engine/libcontact.map,-Bsymbolic-functions \
	  -Wl,-z,defs,-z,text,-z,relro,-z,now,-z,noexecstack $(ENGINE_OBJ) -lm -o $@

$(BUILD)/libapi.a: $(API_OBJ) $(BUILD)/flags/objects
	@rm -f $@
	$(Q)ar rcs $@ $(API_OBJ)

$(BUILD)/libserver.a: $(SERVER_OBJ) $(BUILD)/flags/objects
	@rm -f $@
	$(Q)ar rcs $@ $(SERVER_OBJ)

$(BUILD)/contactd: $(SERVER_OBJ) $(BUILD)/libapi.a $(BUILD)/libcontact.a $(BUILD)/flags/link
	@echo "LD $@"
	$(Q)$(CC) $(LINK) $(SERVER_OBJ) $(BUILD)/libapi.a $(BUILD)/libcontact.a $(SERVER_LIBS) -o $@

# Test programs are compiled and linked in two steps, so that a change in a .c file of the engine or
# the API only relinks the programs.
$(BUILD)/tests/%.o: tests/%.c $(BUILD)/flags/tests
	@mkdir -p $(@D)
	@echo "CC $@"
	$(Q)$(CC) $(COMPILE) $(TEST_FLAGS) -c $< -o $@

# The linker extracts from an archive only the objects that the program references.
$(BUILD)/tests/%: $(BUILD)/tests/%.o $(BUILD)/libapi.a $(BUILD)/libcontact.a $(BUILD)/flags/link
	@echo "LD $@"
	$(Q)$(CC) $(LINK) $< $(BUILD)/libapi.a $(BUILD)/libcontact.a $(TEST_LIBS) -o $@

$(BUILD)/tests/store/%: $(BUILD)/tests/store/%.o $(BUILD)/libserver.a $(BUILD)/flags/link
	@echo "LD $@"
	$(Q)$(CC) $(LINK) $< $(BUILD)/libserver.a $(STORE_LIBS) -lm -lpthread -o $@

.PRECIOUS: $(BUILD)/tests/%.o

# These libraries are preloaded into a daemon to replace functions of the C library. They cannot be
# used with a sanitizer, which replaces the same functions.
$(BUILD)/tests/support/%.so: tests/support/%.c $(BUILD)/flags/tests
	@mkdir -p $(@D)
	@echo "CC $@"
	$(Q)$(CC) $(filter-out -fPIE $(SANITIZE),$(COMPILE)) -fPIC $(TEST_FLAGS) -shared $< -o $@

# These programs compute the same queries with another library.
$(BUILD)/tests/peers/%: tests/peers/%.cpp
	@mkdir -p $(@D)
	@echo "CXX $@"
	$(Q)g++ -std=c++17 -O2 $< $$(pkg-config --cflags --libs fcl) -o $@

-include $(ENGINE_OBJ:.o=.d) $(API_OBJ:.o=.d) $(SERVER_OBJ:.o=.d) $(TEST_BIN:=.d) $(TEST_LIB:.so=.d)

# ---- packages: make run and make test install what is missing ---------------------------------------------------------

RUN_PACKAGES  := gcc libc6-dev pkg-config libmicrohttpd-dev libjansson-dev libuv1-dev nettle-dev libsqlite3-dev libhiredis-dev curl jq
TEST_PACKAGES := $(RUN_PACKAGES) git binutils python3 python3-jsonschema python3-pycurl clang g++ libfcl-dev dart-doc prometheus systemd redis-server \
                 redis-tools strace e2fsprogs haproxy nodejs clang-format
LINT_PACKAGES := git python3 clang-format clang-tidy
BENCH_PACKAGES := $(TEST_PACKAGES) wrk libccd-dev libbullet-dev libode-dev libcgal-dev libqhull-dev \
                  libdart-external-odelcpsolver-dev
# These packages are for a private container engine, which root starts if none is running.
IMAGE_PACKAGES := docker.io docker-compose mmdebstrap iproute2 util-linux
FLEET_PACKAGES := docker-compose haproxy prometheus iproute2 util-linux python3 python3-jsonschema python3-pycurl python3-yaml

.PHONY: deps deps-test
deps: ## install the missing packages for building and running
	@tests/house/deps.sh $(RUN_PACKAGES)
deps-test: # install the missing packages for the tests
	@tests/house/deps.sh $(TEST_PACKAGES)

# ---- run -----------------------------------------------------------------------------------------------------------------

# These environment variables belong to the tests. They are unset for the daemon, which refuses
# variables that begin with CONTACTD_ and belong to no option.
TEST_VARIABLES := BIN CORPUS FULL KILLS SANITIZER TESTS_AT_ONCE

.PHONY: run
run: deps ## build, then serve the demo robot cell on http://127.0.0.1:7077
	@$(MAKE) --no-print-directory release
	@mkdir -p $(BUILD)/data
	env $(TEST_VARIABLES:%=-u CONTACTD_%) $(RELEASE_BUILD)/contactd --durability disk --data $(BUILD)/data --scene server/demo/cell.json $(ARGS)

# ---- tests ---------------------------------------------------------------------------------------------------------------

.PHONY: test check acceptance checklist asan tsan bench
test: deps-test ## build and run all tests; under 10 minutes on two cores
	@$(MAKE) --no-print-directory -j2 build test-programs
	@BUILD=$(BUILD) tests/run

check: deps-test ## run the tests that your changes can affect; about ten seconds for a small change
	@$(MAKE) --no-print-directory -j2 build
	@BUILD=$(BUILD) MAKE="$(MAKE)" tests/check

.PHONY: test-programs
test-programs: $(TEST_BIN) $(TEST_LIB) $(PEER_BIN)

acceptance: deps-test ## the long tests: full corpora, all compilers and optimisation levels, all worker counts
	@$(MAKE) --no-print-directory -j2 build test-programs
	@BUILD=$(BUILD) CONTACTD_FULL=1 tests/run acceptance
	@BUILD=$(BUILD) tests/house/checklist.py run

checklist: deps-test ## run the tests of each required capability and print the table
	@$(MAKE) --no-print-directory -j2 build test-programs
	@BUILD=$(BUILD) tests/house/checklist.py run

# The programs in C that TESTS selects, in a build folder, and the libraries that tests preload.
selected_programs = $(if $(TESTS),$(addprefix $(1)/,$(filter-out %.py,$(shell tests/run --list $(TESTS)))) $(TEST_LIB:$(BUILD)/%=$(1)/%),test-programs)

asan: deps-test ## run the tests under AddressSanitizer and UndefinedBehaviorSanitizer (TESTS=... selects tests)
	@$(MAKE) --no-print-directory -j2 BUILD=build/asan OPT=-O1 \
	  SANITIZE="-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer" build $(call selected_programs,build/asan)
	@BUILD=build/asan CONTACTD_SANITIZER=asan tests/run $(TESTS)

tsan: deps-test ## run the tests under ThreadSanitizer (TESTS=... selects tests)
	@$(MAKE) --no-print-directory -j2 BUILD=build/tsan OPT=-O1 SANITIZE="-fsanitize=thread -fno-omit-frame-pointer" build $(call selected_programs,build/tsan)
	@BUILD=build/tsan CONTACTD_SANITIZER=tsan tests/run $(TESTS)

bench: ## run the benchmarks; results are ratios within one run
	@tests/house/deps.sh $(BENCH_PACKAGES)
	@$(MAKE) --no-print-directory release
	@BUILD=$(RELEASE_BUILD) tests/bench/run

bench-compare: ## compare speeds with those of BASE, in turns (SECTIONS="engine rays" chooses)
	@tests/house/deps.sh $(BENCH_PACKAGES)
	@tests/bench/compare.py $(BASE) $(SECTIONS)

# ---- image ---------------------------------------------------------------------------------------------------------------

.PHONY: image image-test compose-test routing-test manifests-test deps-image deps-fleet
deps-image: # install the missing packages for the image; a running container engine is used
	@tests/house/deps.sh curl python3 python3-jsonschema python3-pycurl
	@docker info >/dev/null 2>&1 || [ "$$(id -u)" -ne 0 ] || tests/house/deps.sh $(IMAGE_PACKAGES)

deps-fleet: # install the missing packages for tests of the fleet's files; an existing npm is used
	@tests/house/deps.sh $(FLEET_PACKAGES)
	@command -v npm >/dev/null || tests/house/deps.sh nodejs npm

image: deps-image ## build the container image in the running engine, or without one as build/image/contactd.tar
	@BUILD=$(BUILD) PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=tests /usr/bin/python3 tests/image/build.py

image-test: deps-image ## test the container image: rights, contents, recovery after SIGKILL
	@BUILD=$(BUILD) PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=tests /usr/bin/python3 tests/image/image.py

compose-test: deps-image ## test the fleet of docker/compose.yaml: scenes survive the loss of a node, Prometheus scrapes all nodes
	@BUILD=$(BUILD) PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=tests /usr/bin/python3 tests/image/compose.py

routing-test: deps-fleet ## test docker/haproxy.cfg: routing and retries
	@BUILD=$(BUILD) PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=tests /usr/bin/python3 tests/image/routing.py

manifests-test: deps-fleet ## validate the files of docker/ with the programs that use them
	@BUILD=$(BUILD) PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=tests /usr/bin/python3 tests/image/manifests.py

# ---- house ---------------------------------------------------------------------------------------------------------------

.PHONY: format lint layers same-answers same-code trace warnings format-check tidy version compile-commands
format: ## format all C and C++ files with clang-format
	@tests/house/deps.sh $(LINT_PACKAGES)
	@tests/house/format.py fix

format-check: ## fail if clang-format would change a file
	@tests/house/deps.sh $(LINT_PACKAGES)
	@tests/house/format.py

tidy: $(BUILD)/compile_commands.json ## find bugs with clang-tidy in all C files, or in FILES="a.c b.c"
	@tests/house/deps.sh $(LINT_PACKAGES)
	@tests/house/tidy.py $(BUILD) $(FILES)

version: ## print the version and check that all files agree on it
	@tests/house/version.py

compile-commands: $(BUILD)/compile_commands.json ## write build/compile_commands.json for editors and clang tools
# The file is rewritten if the flags or the list of files change.
comma := ,
entry  = $(file >> $@,  $(if $(filter $(firstword $(ENGINE_SRC)),$(1)), ,$(comma)){"directory": "$(CURDIR)"$(comma) "file": "$(1)"$(comma) "output": "$(BUILD)/$(1:.c=.o)"$(comma) "command": "$(subst ",\",$(CC) $(COMPILE) $(2) -c $(1) -o $(BUILD)/$(1:.c=.o))"})
$(BUILD)/compile_commands.json: $(addprefix $(BUILD)/flags/,engine api server tests objects)
	$(file > $@,[)
	$(foreach source,$(ENGINE_SRC),$(call entry,$(source),$(ENGINE_FLAGS)))
	$(foreach source,$(API_SRC),$(call entry,$(source),$(API_FLAGS)))
	$(foreach source,$(SERVER_SRC),$(call entry,$(source),$(SERVER_FLAGS)))
	$(foreach source,$(TEST_SRC),$(call entry,$(source),$(TEST_FLAGS)))
	$(file >> $@,])

lint: deps-test ## check lengths, parameters and headers
	@tests/house/lint.py

layers: deps-test build ## check in the objects that references only go from server to api and from api to engine
	@tests/house/layers.py $(BUILD)

same-answers: deps-test build ## compare the replies of this tree and of BASE byte for byte (WORDS selects programs)
	@BUILD=$(BUILD) PYTHONDONTWRITEBYTECODE=1 tests/house/same_answers.py $(or $(BASE),HEAD) $(WORDS)

same-code: deps-test ## prove that renames and comments since BASE (default: HEAD) change no machine code
	@BUILD=$(BUILD) CC="$(CC)" OPT="$(OPT)" tests/house/same_code.py $(or $(BASE),HEAD)

trace: deps-test ## count the source files that one small query executes, in BASE or the working tree (LIST=1 lists them)
	@BUILD=$(BUILD) CC="$(CC)" tests/house/trace.py $(if $(LIST),--list) $(BASE)

warnings: deps-test ## compile everything with clang, warnings as errors
	@$(MAKE) --no-print-directory -j2 BUILD=build/clang CC=clang RELEASE=1 build test-programs
	@echo "clang, the programs of make bench"
	$(Q)for source in $(BENCH_SRC); do clang $(filter-out -MMD -MP,$(COMPILE)) $(TEST_FLAGS) -Itests/bench/peers -fsyntax-only $$source || exit 1; done

# ---- install -------------------------------------------------------------------------------------------------------------

.PHONY: install
install: release ## install daemon, library, headers and pkg-config file under PREFIX
	install -D -m 755 $(RELEASE_BUILD)/contactd $(DESTDIR)$(PREFIX)/bin/contactd
	install -D -m 644 $(RELEASE_BUILD)/libcontact.a $(DESTDIR)$(PREFIX)/lib/libcontact.a
	$(if $(SHARED),install -m 755 $(RELEASE_BUILD)/$(SONAME) $(DESTDIR)$(PREFIX)/lib/libcontact.so.$(VERSION))
	$(if $(SHARED),ln -sf libcontact.so.$(VERSION) $(DESTDIR)$(PREFIX)/lib/$(SONAME))
	$(if $(SHARED),ln -sf $(SONAME) $(DESTDIR)$(PREFIX)/lib/libcontact.so)
	install -d $(DESTDIR)$(PREFIX)/include/contact $(DESTDIR)$(PREFIX)/lib/pkgconfig
	install -m 644 engine/include/contact/*.h $(DESTDIR)$(PREFIX)/include/contact/
	sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@VERSION@|$(VERSION)|' engine/contact.pc.in > $(DESTDIR)$(PREFIX)/lib/pkgconfig/contact.pc
	@$(if $(DESTDIR)$(if $(SHARED),,1),,echo 'If the loader searches $(PREFIX)/lib (see /etc/ld.so.conf), run ldconfig as root; else link with -Wl,-rpath,$(PREFIX)/lib')

.PHONY: install-systemd
install-systemd: install ## also install the systemd units, and /etc/contactd.conf if there is none
	install -d $(DESTDIR)$(PREFIX)/lib/systemd/system $(DESTDIR)/etc
	sed 's|/usr/local|$(PREFIX)|' docker/contactd.service > $(DESTDIR)$(PREFIX)/lib/systemd/system/contactd.service
	install -m 644 docker/contactd.socket $(DESTDIR)$(PREFIX)/lib/systemd/system/contactd.socket
	[ -e $(DESTDIR)/etc/contactd.conf ] || install -m 644 docker/contactd.conf $(DESTDIR)/etc/contactd.conf

.PHONY: help
help: ## print this list
	@sed -n 's/^\([a-z-]*\):[^#]*## /\1\t/p' $(MAKEFILE_LIST) | sort | awk -F'\t' '{printf "  %-17s %s\n", $$1, $$2}'

.PHONY: clean
clean: ## remove the build folder
	rm -rf $(BUILD)
