"""How printers are reached, one module for each way; `printers.way` holds its code."""
