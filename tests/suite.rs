//! The built program, and the rules of the house. One binary, since each links the whole kernel.

mod gate;
mod house;
mod terminal;
