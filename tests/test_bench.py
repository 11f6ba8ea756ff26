"""The bench of chapter 12: a published encoder, its weights beside the page, reads the reader's own words in a browser."""
