//! The program `sentient`.

/// glibc's allocator keeps what a burst of replies needed; this one gives it back within a second
/// (docs/decisions/0201).
#[cfg(target_os = "linux")]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

fn main() -> std::process::ExitCode {
    sentient::cli::run(std::env::args_os())
}
