//! HTA's critical paths: compared with HTA's own answers to every case of the shared goldens, and with the truth.

mod csv;
mod goldens;
mod loaded;
mod quirks;
mod truth;
