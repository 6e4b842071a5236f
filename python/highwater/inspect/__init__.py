"""What is inside a .pte file, and what the engine does with it at which live shapes.

    from highwater import inspect

    report = inspect.read("model.pte", at=["S=37"])
    print(inspect.as_text(report))
    inspect.as_json(report)["methods"][0]["delegates"][0]["program"]["shapes"]
    Path("model.html").write_text(inspect.as_page(inspect.read("model.pte", wgsl=True)))

Nothing is run, and no shape is computed here: all of it is what the engine's own planner decides.
"""

from highwater.inspect.page import as_page
from highwater.inspect.report import Program, Report, Shape, as_json, read
from highwater.inspect.text import as_text

__all__ = ["Program", "Report", "Shape", "as_json", "as_page", "as_text", "read"]
