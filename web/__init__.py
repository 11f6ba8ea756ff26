"""What turns the book into a site: Sphinx extensions, styles and scripts, and the cells that run on a page."""
