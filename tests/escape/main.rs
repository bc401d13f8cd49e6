//! Commands and scripts for real: what they can do, and that they cannot get out. The program under test is the one this
//! build made, in its hidden modes.
//!
//! What the system under the test does not have (a kernel without Landlock, no Python) is said and left out; a door that
//! the program itself says is closed is always tried.

#![cfg(target_os = "linux")]

#[cfg(test)]
mod commands;
#[cfg(test)]
mod containers;
#[cfg(test)]
mod ground;
#[cfg(test)]
mod repositories;
#[cfg(test)]
mod scripts;
