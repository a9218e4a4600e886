/* What programs ask PAPI about events and the machine; prints each wrong answer. Types that PAPI
 * has, also for functions that are not offered. */
#include <papi.h>
#include <stdio.h>
#include <string.h>

static int wrong, rate;

static void want(const char *what, int is_right) {
    if (!is_right) {
        printf("wrong: %s\n", what);
        wrong = 1;
    }
}

__attribute__((destructor)) static void last(void) {
    long long counted;
    want("counts in a destructor", PAPI_stop_counters(&counted, 1) == (rate == PAPI_OK ? PAPI_OK : PAPI_ENOTRUN));
}

int main(void) {
    int code = PAPI_NATIVE_MASK, count = 0, set = PAPI_NULL;
    PAPI_dmem_info_t memory;
    PAPI_option_t option;
    want("init", PAPI_library_init(PAPI_VER_CURRENT) == PAPI_VER_CURRENT);

    want("no native events", PAPI_enum_event(&code, PAPI_ENUM_FIRST) == PAPI_ENOEVNT);
    code = PAPI_PRESET_MASK;
    do {
        char name[PAPI_MAX_STR_LEN];
        int again = 0;
        PAPI_event_info_t info;
        want("a name", PAPI_event_code_to_name(code, name) == PAPI_OK);
        want("its code", PAPI_event_name_to_code(name, &again) == PAPI_OK && again == code);
        want("its symbol", PAPI_get_event_info(code, &info) == PAPI_OK && !strcmp(info.symbol, name));
        count++;
    } while (PAPI_enum_cmp_event(&code, PAPI_ENUM_ALL, 0) == PAPI_OK);
    want("all presets", count == (PAPI_END & PAPI_PRESET_AND_MASK));
    want("a preset's component", PAPI_get_event_component(PAPI_TOT_INS) == 0);
    want("no event", PAPI_get_event_component(PAPI_PRESET_MASK | 127) == PAPI_ENOTPRESET);

    want("the kernel alone", PAPI_set_domain(PAPI_DOM_KERNEL) == PAPI_ENOSUPP);
    want("no domain", PAPI_set_domain(0) == PAPI_EINVAL && PAPI_set_domain(16) == PAPI_EINVAL);
    want("user mode", PAPI_set_domain(PAPI_DOM_USER) == PAPI_OK);

    const PAPI_hw_info_t *machine = PAPI_get_hardware_info();
    want("a clock", machine->cpu_max_mhz > 0 && PAPI_get_opt(PAPI_CLOCKRATE, NULL) > 0);
    int is_intel = !strcmp(machine->vendor_string, "GenuineIntel");
    want("a vendor", is_intel == (machine->vendor == PAPI_VENDOR_INTEL));

    want("a set", PAPI_create_eventset(&set) == PAPI_OK && PAPI_get_eventset_component(set) == 0);
    option.inherit.eventset = set;
    option.inherit.inherit = PAPI_INHERIT_ALL;
    want("no inheritance", PAPI_set_opt(PAPI_INHERIT, &option) == PAPI_ENOSUPP);
    want("no memory", PAPI_get_dmem_info(&memory) == PAPI_ENOSUPP);
    want("no file", PAPI_get_executable_info() == NULL && PAPI_get_shared_lib_info() == NULL);
    want("one component", PAPI_disable_component(0) == PAPI_ENOSUPP);

    float none;
    long long counted;
    rate = PAPI_flops(&none, &none, &counted, &none);
    PAPI_shutdown();
    want("a rate after the shutdown", PAPI_flops(&none, &none, &counted, &none) == rate);
    return wrong;
}
