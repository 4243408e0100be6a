"""The command languages of printers, one module each; each turns a document into bytes."""
