"""Experiments behind the sentences of the chapters, their committed results, and what says whether these are stale."""
