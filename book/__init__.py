"""What homework, evidence, the site and the tools share: how a chapter is read, and where the book lives."""
