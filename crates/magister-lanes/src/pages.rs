//! Large tables: large pages, and early fetches.

use std::mem::MaybeUninit;

/// Blocks below this size gain nothing.
const WORTH: usize = 4 << 20;

/// Advises the system to use large pages for memory that has not been written yet. A table of
/// hundreds of megabytes that is read at random is much quicker then, because fewer addresses must
/// be translated. Where this is not possible, nothing happens.
pub fn large_pages<T>(memory: &mut [MaybeUninit<T>]) {
    let bytes = size_of_val(memory);
    if bytes < WORTH {
        return;
    }
    #[cfg(target_os = "linux")]
    {
        // The advice is for whole small pages inside the block.
        const PAGE: usize = 4096;
        let start = memory.as_mut_ptr().cast::<u8>();
        let skipped = start.align_offset(PAGE).min(bytes);
        let length = (bytes - skipped) / PAGE * PAGE;
        #[allow(unsafe_code, reason = "the system call takes an address")]
        // SAFETY: the range lies inside `memory`, which is borrowed exclusively, and the advice
        // changes neither its contents nor its access rights. The result is not needed.
        unsafe {
            libc::madvise(start.add(skipped).cast(), length, libc::MADV_HUGEPAGE);
        }
    }
}

/// Fetches a place of memory into the cache, if the processor can, and does not wait for it.
#[inline(always)]
#[allow(clippy::inline_always, reason = "it is one instruction")]
pub fn prefetch<T>(place: &T) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        #[allow(unsafe_code, reason = "the instruction takes an address")]
        // SAFETY: the instruction is part of every processor of this kind, and it neither reads nor
        // changes anything that a program can observe. The address is that of a reference.
        unsafe {
            _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(place).cast());
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = place;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn advised_memory_is_ordinary_memory() {
        for count in [0, 10, 1 << 20, (3 << 20) + 5] {
            let mut numbers: Vec<u64> = Vec::with_capacity(count);
            large_pages(numbers.spare_capacity_mut());
            numbers.extend(0..count as u64);
            numbers.iter().for_each(prefetch);
            assert!(numbers.iter().zip(0..).all(|(&number, at)| number == at));
        }
    }
}
