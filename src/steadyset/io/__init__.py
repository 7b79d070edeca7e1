"""From files, frames and arrays of any kind to checked numbers and names, and back to files."""
