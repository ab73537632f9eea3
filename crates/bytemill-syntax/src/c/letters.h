// What letters are. Scanners ask the C library (`iswalpha` and its like), which answers for the locale that the user has
// set. A parse must not depend on that: while it lasts, its thread has a locale that knows the letters of all scripts.

#if defined(_WIN32)

// Threads have no locale of their own there, and letters of all scripts are known in any.
typedef int Letters;
static Letters letters_new(void) { return 0; }
static Letters letters_use(Letters letters) { return letters; }
static void letters_delete(Letters letters) { (void)letters; }

#else

#include <locale.h>
#if defined(__APPLE__)
#include <xlocale.h>
#endif

typedef locale_t Letters;

// Null if the system has none of these, in which case the user's own stays.
static Letters letters_new(void) {
  static const char *const names[] = {"C.UTF-8", "C.utf8", "en_US.UTF-8"};
  for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
    Letters found = newlocale(LC_CTYPE_MASK, names[i], (locale_t)0);
    if (found) return found;
  }
  return (locale_t)0;
}

// Gives what the thread had before.
static Letters letters_use(Letters letters) { return letters ? uselocale(letters) : (locale_t)0; }

static void letters_delete(Letters letters) {
  if (letters) freelocale(letters);
}

#endif
