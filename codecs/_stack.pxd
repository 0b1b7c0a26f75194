cdef extern from *:
    """
    #ifdef __linux__
    #ifndef _GNU_SOURCE
    #define _GNU_SOURCE
    #endif
    #include <pthread.h>
    #include <stdint.h>
    static _Thread_local uintptr_t bakeoff_stack_end
    #ifdef __GLIBC__
        /* Takes eight bytes that glibc reserves for libraries loaded late, and is read without a call. */
        __attribute__((tls_model("initial-exec")))
    #endif
        = UINTPTR_MAX;
    __attribute__((noinline, cold)) static void bakeoff_find_stack_end(void) {
        pthread_attr_t attributes;
        void *low;
        size_t size, guard;
        bakeoff_stack_end = 0;
        if (pthread_getattr_np(pthread_self(), &attributes)) return;
        if (!pthread_attr_getstack(&attributes, &low, &size)
            && !pthread_attr_getguardsize(&attributes, &guard))
            bakeoff_stack_end = (uintptr_t)low + guard;
        pthread_attr_destroy(&attributes);
    }
    static inline Py_ssize_t bakeoff_stack_left(void) {
        char here;
        if (__builtin_expect(bakeoff_stack_end == UINTPTR_MAX, 0)) bakeoff_find_stack_end();
        return (Py_ssize_t)((uintptr_t)&here - bakeoff_stack_end);
    }
    #else
    static inline Py_ssize_t bakeoff_stack_left(void) { return PY_SSIZE_T_MAX; }
    #endif
    """
    # Bytes of stack that this thread has left. On other systems than Linux, threads have enough by default.
    Py_ssize_t stack_left "bakeoff_stack_left"() noexcept

cdef enum:
    # Bytes of stack that a call needs in addition to its levels of nesting.
    RESERVE = 32 * 1024
