//! Arguments from C: handles, arrays and texts, checked as far as possible.

use std::ffi::{CStr, c_char};
use std::mem::MaybeUninit;
use std::path::PathBuf;

use crate::status::Failure;

/// A place for a result.
pub(crate) type Place<'a, T> = Option<&'a mut MaybeUninit<T>>;

/// A reference that must not be NULL.
pub(crate) fn needed<'a, T>(argument: Option<&'a T>, place: &str) -> Result<&'a T, Failure> {
    argument.ok_or_else(|| Failure::argument(place, "found NULL"))
}

/// A place for a result, which must not be NULL.
pub(crate) fn needed_out<'a, T>(
    argument: Place<'a, T>,
    place: &str,
) -> Result<&'a mut MaybeUninit<T>, Failure> {
    argument.ok_or_else(|| Failure::argument(place, "found NULL, expected a place for the result"))
}

/// Creates a value and passes it to C as a handle; if the creation fails, the handle is NULL.
pub(crate) fn handed_over<T>(
    place: Place<'_, *mut T>,
    make: impl FnOnce() -> Result<T, Failure>,
) -> Result<(), Failure> {
    let place = needed_out(place, "result")?;
    place.write(std::ptr::null_mut());
    place.write(Box::into_raw(Box::new(make()?)));
    Ok(())
}

/// Checks the address of an array and its stated length.
fn check_array<T>(first: *const T, count: usize, place: &str) -> Result<(), Failure> {
    if first.is_null() {
        return Err(Failure::argument(place, format_args!("found NULL, expected {count} elements")));
    }
    if !first.is_aligned() {
        let bytes = align_of::<T>();
        let message = format_args!("found the address {first:p}, expected a multiple of {bytes} bytes");
        return Err(Failure::argument(place, message));
    }
    let fits = count.checked_mul(size_of::<T>()).is_some_and(|bytes| isize::try_from(bytes).is_ok());
    if !fits {
        return Err(Failure::argument(
            place,
            format_args!("found {count} elements, more than fit in memory"),
        ));
    }
    Ok(())
}

/// An array; NULL is allowed if it has no elements.
///
/// # Safety
/// If `first` is not NULL, it points to `count` elements, which no other code changes while they are used.
pub(crate) unsafe fn array<'a, T>(first: *const T, count: usize, place: &str) -> Result<&'a [T], Failure> {
    if count == 0 {
        return Ok(&[]);
    }
    check_array(first, count, place)?;
    // SAFETY: `first` is neither NULL nor misaligned, the length fits, and the caller guarantees the elements.
    Ok(unsafe { std::slice::from_raw_parts(first, count) })
}

/// An array for results, whose elements may be uninitialized.
///
/// # Safety
/// As [`array`]; in addition, no other code reads it while it is used.
pub(crate) unsafe fn array_of_results<'a, T>(
    first: *mut T,
    count: usize,
    place: &str,
) -> Result<&'a mut [MaybeUninit<T>], Failure> {
    if count == 0 {
        return Ok(&mut []);
    }
    check_array(first, count, place)?;
    // SAFETY: as in `array`; a `MaybeUninit` may have any content.
    Ok(unsafe { std::slice::from_raw_parts_mut(first.cast(), count) })
}

/// A text in UTF-8; `None` if the pointer is NULL.
///
/// # Safety
/// If the pointer is not NULL, it points to bytes that end with a 0, and no other code changes them while they are
/// used.
pub(crate) unsafe fn text<'a>(first: *const c_char, place: &str) -> Result<Option<&'a str>, Failure> {
    if first.is_null() {
        return Ok(None);
    }
    // SAFETY: the caller guarantees the 0.
    let text = unsafe { CStr::from_ptr(first) };
    let no_text = |_| Failure::argument(place, "found bytes that are not UTF-8");
    text.to_str().map(Some).map_err(no_text)
}

/// The path of a file, in UTF-8; `None` if the pointer is NULL.
///
/// # Safety
/// As [`text`].
pub(crate) unsafe fn path(first: *const c_char, place: &str) -> Result<Option<PathBuf>, Failure> {
    // SAFETY: the caller guarantees it.
    Ok(unsafe { text(first, place)? }.map(PathBuf::from))
}
