"""What turns the book into the site: one Sphinx extension, made of the modules below in their order."""

from importlib import import_module

# without_torch comes before what imports the package, built after everything else
MODULES = """without_torch site marks predict cells glossary assets pages front figures binder package_page evidence
    live model search korean built""".split()


def setup(app):
    for name in MODULES:
        import_module(f"web.{name}").setup(app)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
