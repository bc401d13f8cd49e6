//! Scripts for real, as far as a unit test can.
