/* PAPI's C interface, as `lab cc` offers it: on the kit's cache model or, with --native, on hardware
 * counters. What a function returns is what PAPI documents; what has no meaning here returns
 * PAPI_ENOSUPP. Written for this kit; PAPI itself is not needed. */
#ifndef PAPI_H
#define PAPI_H

#include <limits.h>
#include <signal.h>
#include <stddef.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PAPI_VERSION_NUMBER(major, minor, revision, increment) \
    (((major) << 24) | ((minor) << 16) | ((revision) << 8) | (increment))
#define PAPI_VERSION_MAJOR(x) (((x) >> 24) & 0xff)
#define PAPI_VERSION_MINOR(x) (((x) >> 16) & 0xff)
#define PAPI_VERSION_REVISION(x) (((x) >> 8) & 0xff)
#define PAPI_VERSION_INCREMENT(x) ((x) & 0xff)
#define PAPI_VERSION PAPI_VERSION_NUMBER(7, 0, 0, 0)
#define PAPI_VER_CURRENT (PAPI_VERSION & 0xffff0000)

/* What functions return. */
#define PAPI_OK             0
#define PAPI_EINVAL         (-1)
#define PAPI_ENOMEM         (-2)
#define PAPI_ESYS           (-3)
#define PAPI_ECMP           (-4)
#define PAPI_ESBSTR         (-4)
#define PAPI_ECLOST         (-5)
#define PAPI_EBUG           (-6)
#define PAPI_ENOEVNT        (-7)
#define PAPI_ECNFLCT        (-8)
#define PAPI_ENOTRUN        (-9)
#define PAPI_EISRUN         (-10)
#define PAPI_ENOEVST        (-11)
#define PAPI_ENOTPRESET     (-12)
#define PAPI_ENOCNTR        (-13)
#define PAPI_EMISC          (-14)
#define PAPI_EPERM          (-15)
#define PAPI_ENOINIT        (-16)
#define PAPI_ENOCMP         (-17)
#define PAPI_ENOSUPP        (-18)
#define PAPI_ENOIMPL        (-19)
#define PAPI_EBUF           (-20)
#define PAPI_EINVAL_DOM     (-21)
#define PAPI_EATTR          (-22)
#define PAPI_ECOUNT         (-23)
#define PAPI_ECOMBO         (-24)
#define PAPI_ECMP_DISABLED  (-25)
#define PAPI_EDELAY_INIT    (-26)
#define PAPI_EMULPASS       (-27)
#define PAPI_NUM_ERRORS 28

#define PAPI_NOT_INITED 0
#define PAPI_LOW_LEVEL_INITED 1
#define PAPI_HIGH_LEVEL_INITED 2
#define PAPI_THREAD_LEVEL_INITED 4

#define PAPI_NULL (-1)
#define PAPI_MAX_PRESET_EVENTS 128
#define PAPI_EVENTS_IN_DERIVED_EVENT 8
#define PAPI_MIN_STR_LEN 64
#define PAPI_MAX_STR_LEN 128
#define PAPI_2MAX_STR_LEN 256
#define PAPI_HUGE_STR_LEN 1024
#define PAPI_MAX_INFO_TERMS 12

#define PAPI_PRESET_MASK ((int)0x80000000u)
#define PAPI_NATIVE_MASK ((int)0x40000000)
#define PAPI_PRESET_AND_MASK 0x7fffffff
#define PAPI_NATIVE_AND_MASK 0x3fffffff

/* PAPI_state. */
#define PAPI_STOPPED 0x01
#define PAPI_RUNNING 0x02
#define PAPI_PAUSED 0x04
#define PAPI_NOT_INIT 0x08
#define PAPI_OVERFLOWING 0x10
#define PAPI_PROFILING 0x20
#define PAPI_MULTIPLEXING 0x40
#define PAPI_ATTACHED 0x80

#define PAPI_DOM_USER 0x1
#define PAPI_DOM_MIN PAPI_DOM_USER
#define PAPI_DOM_KERNEL 0x2
#define PAPI_DOM_OTHER 0x4
#define PAPI_DOM_SUPERVISOR 0x8
#define PAPI_DOM_ALL (PAPI_DOM_USER | PAPI_DOM_KERNEL | PAPI_DOM_OTHER | PAPI_DOM_SUPERVISOR)
#define PAPI_DOM_MAX PAPI_DOM_ALL
#define PAPI_GRN_THR 0x1
#define PAPI_GRN_MIN PAPI_GRN_THR
#define PAPI_GRN_PROC 0x2
#define PAPI_GRN_PROCG 0x4
#define PAPI_GRN_SYS 0x8
#define PAPI_GRN_SYS_CPU 0x10
#define PAPI_GRN_MAX PAPI_GRN_SYS_CPU

#define PAPI_QUIET 0
#define PAPI_VERB_ECONT 1
#define PAPI_VERB_ESTOP 2

#define PAPI_OVERFLOW_FORCE_SW 0x40
#define PAPI_OVERFLOW_HARDWARE 0x80

/* PAPI_profil. */
#define PAPI_PROFIL_POSIX 0x0
#define PAPI_PROFIL_RANDOM 0x1
#define PAPI_PROFIL_WEIGHTED 0x2
#define PAPI_PROFIL_COMPRESS 0x4
#define PAPI_PROFIL_BUCKET_16 0x8
#define PAPI_PROFIL_BUCKET_32 0x10
#define PAPI_PROFIL_BUCKET_64 0x20
#define PAPI_PROFIL_FORCE_SW 0x40
#define PAPI_PROFIL_DATA_EAR 0x80
#define PAPI_PROFIL_INST_EAR 0x100
#define PAPI_PROFIL_BUCKETS (PAPI_PROFIL_BUCKET_16 | PAPI_PROFIL_BUCKET_32 | PAPI_PROFIL_BUCKET_64)

/* PAPI_get_opt, PAPI_set_opt. */
#define PAPI_DETACH 1
#define PAPI_DEBUG 2
#define PAPI_MULTIPLEX 3
#define PAPI_DEFDOM 4
#define PAPI_DOMAIN 5
#define PAPI_DEFGRN 6
#define PAPI_GRANUL 7
#define PAPI_MAX_MPX_CTRS 11
#define PAPI_CLOCKRATE 14
#define PAPI_MAX_HWCTRS 15
#define PAPI_HWINFO 16
#define PAPI_EXEINFO 17
#define PAPI_MAX_CPUS 18
#define PAPI_ATTACH 19
#define PAPI_LIB_VERSION 21
#define PAPI_COMPONENTINFO 22
#define PAPI_DATA_ADDRESS 23
#define PAPI_INSTR_ADDRESS 24
#define PAPI_DEF_ITIMER 25
#define PAPI_CPU_ATTACH 27
#define PAPI_INHERIT 28
#define PAPI_INHERIT_ALL 1
#define PAPI_INHERIT_NONE 0

enum {
    PAPI_ENUM_EVENTS,
    PAPI_ENUM_FIRST,
    PAPI_PRESET_ENUM_AVAIL,
    PAPI_NTV_ENUM_UMASKS = 16,
    PAPI_NTV_ENUM_UMASK_COMBOS
};
#define PAPI_ENUM_ALL PAPI_ENUM_EVENTS

#define PAPI_USR1_TLS 0
#define PAPI_USR2_TLS 1
#define PAPI_NUM_TLS 4
#define PAPI_TLS_USR1 0
#define PAPI_TLS_USR2 1
#define PAPI_TLS_NUM 4
#define PAPI_TLS_ALL_THREADS 0x10
#define PAPI_USR1_LOCK 0
#define PAPI_USR2_LOCK 1
#define PAPI_LOCK_USR1 0
#define PAPI_LOCK_USR2 1
#define PAPI_NUM_LOCK 32

/* Preset events. */
/* PRESETS */
#define PAPI_END ((int)0x8000006eu)

typedef unsigned long PAPI_thread_id_t;
typedef void (*PAPI_overflow_handler_t)(int EventSet, void *address, long long overflow_vector, void *context);
typedef long long long_long;
typedef char *PAPI_user_defined_events_t;
typedef void *vptr_t;

typedef struct _papi_all_thr_spec {
    int num;
    PAPI_thread_id_t *id;
    void **data;
} PAPI_all_thr_spec_t;

typedef struct _papi_sprofil {
    void *pr_base;
    unsigned pr_size;
    vptr_t pr_off;
    unsigned pr_scale;
} PAPI_sprofil_t;

typedef struct _papi_address_map {
    char name[PAPI_HUGE_STR_LEN];
    vptr_t text_start;
    vptr_t text_end;
    vptr_t data_start;
    vptr_t data_end;
    vptr_t bss_start;
    vptr_t bss_end;
} PAPI_address_map_t;

typedef struct _papi_program_info {
    char fullname[PAPI_HUGE_STR_LEN];
    PAPI_address_map_t address_info;
} PAPI_exe_info_t;

typedef struct _papi_shared_lib_info {
    PAPI_address_map_t *map;
    int count;
} PAPI_shlib_info_t;

typedef struct _dmem_t {
    long long peak, size, resident, high_water_mark, shared, text, library, heap, locked, stack, pagesize, pte;
} PAPI_dmem_info_t;

typedef struct event_info {
    unsigned int event_code;
    char symbol[PAPI_HUGE_STR_LEN];
    char short_descr[PAPI_MIN_STR_LEN];
    char long_descr[PAPI_HUGE_STR_LEN];
    int component_index;
    char units[PAPI_MIN_STR_LEN];
    int location;
    int data_type;
    int value_type;
    int timescope;
    int update_type;
    int update_freq;
    unsigned int count;
    unsigned int event_type;
    char derived[PAPI_MIN_STR_LEN];
    char postfix[PAPI_2MAX_STR_LEN];
    unsigned int code[PAPI_MAX_INFO_TERMS];
    char name[PAPI_MAX_INFO_TERMS][PAPI_2MAX_STR_LEN];
    char note[PAPI_HUGE_STR_LEN];
} PAPI_event_info_t;

#define PAPI_VENDOR_UNKNOWN 0
#define PAPI_VENDOR_INTEL 1
#define PAPI_VENDOR_AMD 2
#define PAPI_VENDOR_IBM 3
#define PAPI_VENDOR_ARM 7
#define PAPI_VENDOR_ARM_ARM 0x41

#define PAPI_MH_TYPE_EMPTY 0
#define PAPI_MH_TYPE_INST 1
#define PAPI_MH_TYPE_DATA 2
#define PAPI_MH_TYPE_UNIFIED 3
#define PAPI_MH_TYPE_VECTOR 4
#define PAPI_MH_TYPE_TRACE 8
#define PAPI_MH_TYPE_UNKNOWN 0
#define PAPI_MH_TYPE_WT 0x00
#define PAPI_MH_TYPE_WB 0x10
#define PAPI_MH_TYPE_LRU 0x100
#define PAPI_MH_TYPE_PSEUDO_LRU 0x200
#define PAPI_MH_TYPE_FIFO 0x400
#define PAPI_MH_TYPE_TLB 0x1000
#define PAPI_MH_TYPE_PREF 0x2000
#define PAPI_MH_TYPE_RD_ALLOC 0x10000
#define PAPI_MH_TYPE_WR_ALLOC 0x20000
#define PAPI_MH_TYPE_RW_ALLOC 0x40000
#define PAPI_MH_CACHE_TYPE(a) ((a) & 0xf)
#define PAPI_MH_CACHE_WRITE_POLICY(a) ((a) & 0xf0)
#define PAPI_MH_CACHE_REPLACEMENT_POLICY(a) ((a) & 0xf00)
#define PAPI_MH_CACHE_ALLOCATION_POLICY(a) ((a) & 0xf0000)
#define PAPI_MH_MAX_LEVELS 6
#define PAPI_MAX_MEM_HIERARCHY_LEVELS 4

typedef struct _papi_mh_tlb_info {
    int type;
    int num_entries;
    int page_size;
    int associativity;
} PAPI_mh_tlb_info_t;

typedef struct _papi_mh_cache_info {
    int type;
    int size;
    int line_size;
    int num_lines;
    int associativity;
} PAPI_mh_cache_info_t;

typedef struct _papi_mh_level_info {
    PAPI_mh_tlb_info_t tlb[PAPI_MH_MAX_LEVELS];
    PAPI_mh_cache_info_t cache[PAPI_MH_MAX_LEVELS];
} PAPI_mh_level_t;

typedef struct _papi_mh_info {
    int levels;
    PAPI_mh_level_t level[PAPI_MAX_MEM_HIERARCHY_LEVELS];
} PAPI_mh_info_t;

typedef struct _papi_hw_info {
    int ncpu;
    int threads;
    int cores;
    int sockets;
    int nnodes;
    int totalcpus;
    int vendor;
    char vendor_string[PAPI_MAX_STR_LEN];
    int model;
    char model_string[PAPI_MAX_STR_LEN];
    float revision;
    int cpuid_family;
    int cpuid_model;
    int cpuid_stepping;
    int cpu_max_mhz;
    int cpu_min_mhz;
    PAPI_mh_info_t mem_hierarchy;
    int virtualized;
    char virtual_vendor_string[PAPI_MAX_STR_LEN];
    char virtual_vendor_version[PAPI_MAX_STR_LEN];
    float mhz;
    int clock_mhz;
    int reserved[8];
} PAPI_hw_info_t;

typedef struct _papi_component_option {
    char name[PAPI_MAX_STR_LEN];
    char short_name[PAPI_MIN_STR_LEN];
    char description[PAPI_MAX_STR_LEN];
    char version[PAPI_MIN_STR_LEN];
    char support_version[PAPI_MIN_STR_LEN];
    char kernel_version[PAPI_MIN_STR_LEN];
    char disabled_reason[PAPI_HUGE_STR_LEN];
    int disabled;
    int initialized;
    int CmpIdx;
    int num_cntrs;
    int num_mpx_cntrs;
    int num_preset_events;
    int num_native_events;
    int default_domain;
    int available_domains;
    int default_granularity;
    int available_granularities;
    int hardware_intr_sig;
    unsigned int hardware_intr : 1;
    unsigned int precise_intr : 1;
    unsigned int posix1b_timers : 1;
    unsigned int kernel_profile : 1;
    unsigned int kernel_multiplex : 1;
    unsigned int fast_counter_read : 1;
    unsigned int fast_real_timer : 1;
    unsigned int fast_virtual_timer : 1;
    unsigned int attach : 1;
    unsigned int attach_must_ptrace : 1;
    unsigned int cntr_umasks : 1;
    unsigned int cpu : 1;
    unsigned int inherit : 1;
} PAPI_component_info_t;

typedef struct _papi_set_option {
    int eventset;
    int domain;
    int granularity;
    int ns;
    int flags;
    int def_cidx;
} PAPI_set_option_t;

typedef struct _papi_attach_option {
    int eventset;
    unsigned long tid;
} PAPI_attach_option_t;

typedef struct _papi_cpu_option {
    int eventset;
    unsigned int cpu_num;
} PAPI_cpu_option_t;

typedef struct _papi_inherit_option {
    int eventset;
    int inherit;
} PAPI_inherit_option_t;

typedef struct _papi_itimer_option {
    int itimer_num;
    int itimer_sig;
    int ns;
    int flags;
} PAPI_itimer_option_t;

typedef struct _papi_addr_range_option {
    int eventset;
    vptr_t start;
    vptr_t end;
    int start_off;
    int end_off;
} PAPI_addr_range_option_t;

typedef union {
    PAPI_set_option_t multiplex, domain, defdomain, granularity, defgranularity;
    PAPI_attach_option_t attach;
    PAPI_cpu_option_t cpu;
    PAPI_inherit_option_t inherit;
    PAPI_itimer_option_t itimer;
    PAPI_addr_range_option_t addr;
    PAPI_hw_info_t *hw_info;
    PAPI_shlib_info_t *shlib_info;
    PAPI_exe_info_t *exe_info;
    PAPI_component_info_t *cmp_info;
    int reserved[256];
} PAPI_option_t;

/* The library and threads. */
int PAPI_library_init(int version);
int PAPI_is_initialized(void);
void PAPI_shutdown(void);
int PAPI_thread_init(unsigned long (*id_fn)(void));
unsigned long PAPI_thread_id(void);
int PAPI_register_thread(void);
int PAPI_unregister_thread(void);
int PAPI_list_threads(PAPI_thread_id_t *tids, int *number);
int PAPI_get_thr_specific(int tag, void **ptr);
int PAPI_set_thr_specific(int tag, void *ptr);
int PAPI_lock(int lock);
int PAPI_unlock(int lock);
int PAPI_multiplex_init(void);

/* Event sets. */
int PAPI_create_eventset(int *EventSet);
int PAPI_cleanup_eventset(int EventSet);
int PAPI_destroy_eventset(int *EventSet);
int PAPI_add_event(int EventSet, int Event);
int PAPI_add_named_event(int EventSet, const char *EventName);
int PAPI_add_events(int EventSet, int *Events, int number);
int PAPI_remove_event(int EventSet, int EventCode);
int PAPI_remove_named_event(int EventSet, const char *EventName);
int PAPI_remove_events(int EventSet, int *Events, int number);
int PAPI_list_events(int EventSet, int *Events, int *number);
int PAPI_num_events(int EventSet);
int PAPI_assign_eventset_component(int EventSet, int cidx);
int PAPI_set_multiplex(int EventSet);
int PAPI_get_multiplex(int EventSet);
int PAPI_state(int EventSet, int *status);
int PAPI_attach(int EventSet, unsigned long tid);
int PAPI_detach(int EventSet);

/* Counting. */
int PAPI_start(int EventSet);
int PAPI_stop(int EventSet, long long *values);
int PAPI_read(int EventSet, long long *values);
int PAPI_read_ts(int EventSet, long long *values, long long *cyc);
int PAPI_accum(int EventSet, long long *values);
int PAPI_reset(int EventSet);
int PAPI_write(int EventSet, long long *values);
int PAPI_overflow(int EventSet, int EventCode, int threshold, int flags, PAPI_overflow_handler_t handler);
int PAPI_get_overflow_event_index(int EventSet, long long overflow_vector, int *array, int *number);
int PAPI_profil(void *buf, unsigned bufsiz, vptr_t offset, unsigned scale, int EventSet, int EventCode,
                int threshold, int flags);
int PAPI_sprofil(PAPI_sprofil_t *prof, int profcnt, int EventSet, int EventCode, int threshold, int flags);

/* Names, codes and what there is. */
int PAPI_query_event(int EventCode);
int PAPI_query_named_event(const char *EventName);
int PAPI_event_code_to_name(int EventCode, char *out);
int PAPI_event_name_to_code(const char *in, int *out);
int PAPI_enum_event(int *EventCode, int modifier);
#define PAPI_enum_cmp_event(EventCode, modifier, cidx) PAPI_enum_event(EventCode, modifier)
int PAPI_get_event_info(int EventCode, PAPI_event_info_t *info);
const PAPI_hw_info_t *PAPI_get_hardware_info(void);
int PAPI_num_hwctrs(void);
#define PAPI_num_cmp_hwctrs(cidx) PAPI_num_hwctrs()
int PAPI_num_components(void);
int PAPI_get_component_index(const char *name);
const PAPI_component_info_t *PAPI_get_component_info(int cidx);
int PAPI_get_event_component(int EventCode);
int PAPI_get_eventset_component(int EventSet);
int PAPI_disable_component(int cidx);
int PAPI_disable_component_by_name(const char *name);
const PAPI_exe_info_t *PAPI_get_executable_info(void);
const PAPI_shlib_info_t *PAPI_get_shared_lib_info(void);
int PAPI_get_dmem_info(PAPI_dmem_info_t *dest);
#define PAPI_get_cmp_opt(option, ptr, cidx) PAPI_get_opt(option, ptr)
int PAPI_get_opt(int option, PAPI_option_t *ptr);
int PAPI_set_opt(int option, PAPI_option_t *ptr);
int PAPI_set_domain(int domain);
#define PAPI_set_cmp_domain(domain, cidx) PAPI_set_domain(domain)
int PAPI_set_granularity(int granularity);
#define PAPI_set_cmp_granularity(granularity, cidx) PAPI_set_granularity(granularity)
int PAPI_set_debug(int level);
char *PAPI_strerror(int errorCode);
#define PAPI_descr_error PAPI_strerror
void PAPI_perror(const char *msg);

/* Timers. */
long long PAPI_get_real_cyc(void);
long long PAPI_get_real_nsec(void);
long long PAPI_get_real_usec(void);
long long PAPI_get_virt_cyc(void);
long long PAPI_get_virt_nsec(void);
long long PAPI_get_virt_usec(void);

/* The high-level interface of versions up to 5, and rates. */
int PAPI_num_counters(void);
int PAPI_start_counters(int *events, int array_len);
int PAPI_read_counters(long long *values, int array_len);
int PAPI_accum_counters(long long *values, int array_len);
int PAPI_stop_counters(long long *values, int array_len);
int PAPI_flops(float *rtime, float *ptime, long long *flpops, float *mflops);
int PAPI_flips(float *rtime, float *ptime, long long *flpins, float *mflips);
int PAPI_ipc(float *rtime, float *ptime, long long *ins, float *ipc);
int PAPI_flops_rate(int event, float *rtime, float *ptime, long long *flpops, float *mflops);
#define PAPI_flips_rate PAPI_flops_rate
int PAPI_rate_stop(void);

/* The high-level interface since version 6. */
int PAPI_hl_init(void);
int PAPI_hl_set_events(const char *events);
int PAPI_hl_region_begin(const char *region);
int PAPI_hl_read(const char *region);
int PAPI_hl_region_end(const char *region);
int PAPI_hl_stop(void);
int PAPI_hl_cleanup_thread(void);
int PAPI_hl_finalize(void);
void PAPI_hl_print_output(void);

#ifdef __cplusplus
}
#endif

#endif
