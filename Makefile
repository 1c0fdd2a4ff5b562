# contactd. `make help` lists the targets.
#
# Layers: server -> api -> engine. Each is compiled with only the include paths that it may see; `make layers` proves the rest
# on the objects' undefined symbols.

BUILD    ?= build
CC       ?= gcc
OPT      ?= -O2
SANITIZE ?=
VERSION  := 0.1.0
PREFIX   ?= /usr/local
DESTDIR  ?=
PYTHON   := /usr/bin/python3

ifeq ($(origin CC),default)
CC := gcc
endif

WARN := -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla -Wformat=2 -Werror
HARDEN := -fstack-protector-strong -fPIE $(if $(SANITIZE),,-U_FORTIFY_SOURCE $(if $(filter -O0,$(OPT)),,-D_FORTIFY_SOURCE=2))
BASE := -std=c17 $(OPT) -g -ffp-contract=off -fno-delete-null-pointer-checks -fno-math-errno -fvisibility=hidden -MMD -MP $(HARDEN) $(WARN) $(SANITIZE) $(EXTRA_CFLAGS)
LINK := -pie -Wl,-z,relro,-z,now,-z,noexecstack $(SANITIZE)

ENGINE_SRC := $(wildcard engine/*/*.c)
API_SRC    := $(wildcard api/*.c)
SERVER_SRC := $(wildcard server/*.c)
ENGINE_OBJ := $(ENGINE_SRC:%.c=$(BUILD)/%.o)
API_OBJ    := $(API_SRC:%.c=$(BUILD)/%.o) $(BUILD)/api/openapi_json.o
SERVER_OBJ := $(SERVER_SRC:%.c=$(BUILD)/%.o)
TEST_SRC   := $(wildcard tests/unit/test_*.c tests/oracle/test_*.c tests/property/test_*.c)
TEST_BIN   := $(TEST_SRC:%.c=$(BUILD)/%)

ENGINE_FLAGS := -Iengine/include -Iengine
API_FLAGS    := -Iengine/include -Iapi/include -Iapi -DCONTACTD_VERSION='"$(VERSION)"'
SERVER_FLAGS := -Iengine/include -Iapi/include -Iserver -D_POSIX_C_SOURCE=200809L -D_GNU_SOURCE -DCONTACTD_VERSION='"$(VERSION)"'
TEST_FLAGS   := -Iengine/include -Iengine -Iapi/include -Iapi -I. -D_GNU_SOURCE
SERVER_LIBS  := -lmicrohttpd -luv -ljansson -lm -lpthread

.DEFAULT_GOAL := build
.PHONY: build
build: $(BUILD)/contactd $(BUILD)/libcontact.a ## build the daemon and the library

$(BUILD)/engine/%.o: engine/%.c
	@mkdir -p $(@D)
	$(CC) $(BASE) $(ENGINE_FLAGS) -c $< -o $@

$(BUILD)/api/%.o: api/%.c
	@mkdir -p $(@D)
	$(CC) $(BASE) $(API_FLAGS) -c $< -o $@

$(BUILD)/server/%.o: server/%.c
	@mkdir -p $(@D)
	$(CC) $(BASE) $(SERVER_FLAGS) -c $< -o $@

# The OpenAPI document becomes bytes of the program.
$(BUILD)/api/openapi_json.c: api/openapi.json
	@mkdir -p $(@D)
	@{ printf '#include "openapi_bytes.h"\nconst unsigned char api_openapi_bytes[] = {\n'; od -An -v -tu1 $< | sed 's/\([0-9][0-9]*\)/\1,/g'; \
	  printf '};\nconst size_t api_openapi_length = sizeof api_openapi_bytes;\n'; } > $@

$(BUILD)/api/openapi_json.o: $(BUILD)/api/openapi_json.c
	$(CC) $(BASE) $(API_FLAGS) -c $< -o $@

$(BUILD)/libcontact.a: $(ENGINE_OBJ)
	@rm -f $@
	ar rcs $@ $^

$(BUILD)/libapi.a: $(API_OBJ)
	@rm -f $@
	ar rcs $@ $^

$(BUILD)/contactd: $(SERVER_OBJ) $(BUILD)/libapi.a $(BUILD)/libcontact.a
	$(CC) $(LINK) $(SERVER_OBJ) $(BUILD)/libapi.a $(BUILD)/libcontact.a $(SERVER_LIBS) -o $@

# Tests of the engine link libcontact alone; tests/unit/test_api_* and friends link the API too. Unused archives cost nothing.
$(BUILD)/tests/%: tests/%.c $(BUILD)/libapi.a $(BUILD)/libcontact.a
	@mkdir -p $(@D)
	$(CC) $(BASE) $(TEST_FLAGS) $(LINK) $< $(BUILD)/libapi.a $(BUILD)/libcontact.a -ljansson -lm -lpthread -o $@

-include $(ENGINE_OBJ:.o=.d) $(API_OBJ:.o=.d) $(SERVER_OBJ:.o=.d) $(TEST_BIN:=.d)

.PHONY: clean
clean: ## remove what was built
	rm -rf $(BUILD)
