//! GDL.
