/* Calls of these functions go to the harness: their accesses are in the C library, where the compiler puts
 * no calls. */
extern void *memcpy(void *, const void *, __SIZE_TYPE__) __asm__("__tsan_memcpy");
extern void *memmove(void *, const void *, __SIZE_TYPE__) __asm__("__tsan_memmove");
extern void *memset(void *, int, __SIZE_TYPE__) __asm__("__tsan_memset");
