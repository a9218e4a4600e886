/* Walks over 20 KiB twice, and prints all that PAPI says about the machine. */
#include <papi.h>
#include <stdio.h>

static volatile char array[20 << 10];

int main(void) {
    int set = PAPI_NULL;
    long long misses = 0;
    PAPI_library_init(PAPI_VER_CURRENT);
    if (PAPI_get_opt(PAPI_LIB_VERSION, NULL) != PAPI_VERSION || PAPI_get_opt(PAPI_DEFDOM, NULL) != PAPI_DOM_USER)
        return 1;
    PAPI_create_eventset(&set);
    PAPI_add_event(set, PAPI_L1_DCM);
    PAPI_start(set);
    for (int pass = 0; pass < 2; pass++)
        for (int at = 0; at < (20 << 10); at += 8)
            array[at];
    PAPI_stop(set, &misses);
    const PAPI_hw_info_t *machine = PAPI_get_hardware_info();
    printf("%lld %s\n", misses, machine->model_string);
    for (int level = 0; level < PAPI_MAX_MEM_HIERARCHY_LEVELS; level++)
        for (int part = 0; part < PAPI_MH_MAX_LEVELS; part++) {
            const PAPI_mh_cache_info_t *cache = &machine->mem_hierarchy.level[level].cache[part];
            const PAPI_mh_tlb_info_t *tlb = &machine->mem_hierarchy.level[level].tlb[part];
            if (cache->size || cache->line_size || cache->num_lines || cache->associativity)
                printf("cache %d %d %d %d\n", cache->size, cache->line_size, cache->num_lines, cache->associativity);
            if (tlb->num_entries || tlb->page_size || tlb->associativity)
                printf("TLB %d %d %d\n", tlb->num_entries, tlb->page_size, tlb->associativity);
        }
    return 0;
}
