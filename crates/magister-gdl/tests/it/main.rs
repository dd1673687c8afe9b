//! Tests of the reader and the checker: one program, because linking many takes longer than running them.

mod canonical;
mod chapter;
mod checks;
mod codes;
mod hostile;
mod oracle;
mod properties;
mod translation;
