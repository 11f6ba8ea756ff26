"""The silent bugs of chapter 10: detectors that notice something, and exhibits on which they are tried."""
