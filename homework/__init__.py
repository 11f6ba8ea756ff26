"""The instructor's desk: release a chapter, collect what comes back, grade it in a sandbox, report.

nbgrader makes the student copies and keeps the grades. What is here is the step around it: a submission, whatever
happened to it on its way, is restored to its form and run alone, where it can harm nobody. `python -m homework --help`.
"""
