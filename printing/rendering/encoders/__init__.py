"""One language of printers, one module; each turns set rows into bytes."""
