"""Numbers in sentences are bound to expressions, and stored outputs cannot be tampered with: a plugin beside nbval."""
