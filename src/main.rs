//! The program `sentient`.

fn main() -> std::process::ExitCode {
    sentient::cli::run(std::env::args_os())
}
