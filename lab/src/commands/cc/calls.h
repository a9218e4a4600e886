/* Calls of these functions go to the model: their accesses are in the C library, where no calls are
 * added. */
#ifndef __ASSEMBLER__
#ifdef __cplusplus
extern "C" {
#if __cplusplus >= 201103L
#define LAB_NOTHROW noexcept(true)
#else
#define LAB_NOTHROW throw()
#endif
#else
#define LAB_NOTHROW
#endif
extern void *memcpy(void *, const void *, __SIZE_TYPE__) LAB_NOTHROW __asm__("__tsan_memcpy");
extern void *memmove(void *, const void *, __SIZE_TYPE__) LAB_NOTHROW __asm__("__tsan_memmove");
extern void *memset(void *, int, __SIZE_TYPE__) LAB_NOTHROW __asm__("__tsan_memset");
#undef LAB_NOTHROW
#ifdef __cplusplus
}
#endif
#endif
