/* Lists the frames that readers of old formats drop: frames of allocators, of locks and of the
 * profiler, which are not the program's own code. */
#include "import/legacy/legacy.h"

/* Regular expression for the functions of allocators. When their frames are dropped, an allocation
 * belongs to the function that called the allocator. */
static const char allocator_frames[] =
    /* functions of POSIX */
    "calloc|cfree|malloc|free|memalign|do_memalign|(__)?posix_memalign|pvalloc|valloc|realloc|"
    /* functions of TCMalloc */
    "tcmalloc::.*|tc_calloc|tc_cfree|tc_malloc|tc_free|tc_memalign|tc_posix_memalign|tc_pvalloc|"
    "tc_valloc|tc_realloc|tc_new|tc_delete|tc_newarray|tc_deletearray|tc_new_nothrow|"
    "tc_newarray_nothrow|"
    /* functions of macOS */
    "malloc_zone_malloc|malloc_zone_calloc|malloc_zone_valloc|malloc_zone_realloc|"
    "malloc_zone_memalign|malloc_zone_free|"
    /* functions of Go's runtime */
    "runtime\\..*|"
    /* functions of other allocators */
    "BaseArena::.*|(::)?do_malloc_no_errno|(::)?do_malloc_pages|(::)?do_malloc|DoSampledAllocation|"
    "MallocedMemBlock::MallocedMemBlock|_M_allocate|__builtin_(vec_)?delete|__builtin_(vec_)?new|"
    "__gnu_cxx::new_allocator::allocate|__libc_malloc|__malloc_alloc_template::allocate|allocate|"
    "cpp_alloc|operator new(\\[\\])?|simple_alloc::allocate";

/* Functions of Go's runtime to keep, because dropping a frame also drops its callees. */
static const char runtime_frames[] = "runtime\\.panic|runtime\\.reflectcall|runtime\\.call[0-9]*";

static const char lock_frames[] =
    "RecordLockProfileData|(base::)?RecordLockProfileData.*|(base::)?SubmitMutexProfileData.*|"
    "(base::)?SubmitSpinLockProfileData.*|(base::Mutex::)?AwaitCommon.*|(base::Mutex::)?Unlock.*|"
    "(base::Mutex::)?UnlockSlow.*|(base::Mutex::)?ReaderUnlock.*|(base::MutexLock::)?~MutexLock.*|"
    "(Mutex::)?AwaitCommon.*|(Mutex::)?Unlock.*|(Mutex::)?UnlockSlow.*|(Mutex::)?ReaderUnlock.*|"
    "(MutexLock::)?~MutexLock.*|(SpinLock::)?Unlock.*|(SpinLock::)?SlowUnlock.*|"
    "(SpinLockHolder::)?~SpinLockHolder.*";

static const char profiler_frames[] =
    "ProfileData::Add|ProfileData::prof_handler|CpuProfiler::prof_handler|__pthread_sighandler|"
    "__restore";

static const struct {
  const char *types[LEGACY_MAX_TYPES];
  const char *drop, *keep;
} rules[] = {
    {{"allocations", "size"}, allocator_frames, runtime_frames},
    {{"objects", "space"}, allocator_frames, runtime_frames},
    {{"inuse_objects", "inuse_space"}, allocator_frames, runtime_frames},
    {{"alloc_objects", "alloc_space"}, allocator_frames, runtime_frames},
    {{"alloc_objects", "alloc_space", "inuse_objects", "inuse_space"},
     allocator_frames,
     runtime_frames},
    {{"contentions", "delay"}, lock_frames, ""},
};

static bool has_types(const struct legacy *l, const char *const *types) {
  for (size_t i = 0; i < LEGACY_MAX_TYPES; i++) {
    if ((i < l->type_count) != (types[i] != NULL)) return false;
    if (types[i] && !str_equal(l->types[i].type, str_of(types[i]))) return false;
  }
  return true;
}

void legacy_frames_to_drop(const struct legacy *l, const char **drop, const char **keep) {
  *drop = profiler_frames;
  *keep = "";
  for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
    if (!has_types(l, rules[i].types)) continue;
    *drop = rules[i].drop;
    *keep = rules[i].keep;
    return;
  }
}
