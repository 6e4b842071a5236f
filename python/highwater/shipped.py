"""Finding a model: a file, a folder with one in it, or one that ships with Highwater."""

from pathlib import Path

from highwater.errors import HighwaterError

FILE = "model.pte"
# In an installed package, and in the repository.
_FOLDERS = (Path(__file__).parent / "models", Path(__file__).parents[2] / "models")


def shipped_models() -> dict[str, Path]:
    """The models that come along, by name."""
    return {
        file.parent.name: file
        for folder in reversed(_FOLDERS)
        for file in sorted(folder.glob(f"*/{FILE}"))
    }


def find_model(name: str | Path) -> Path:
    """The `.pte` file that is meant."""
    path = Path(name)
    if path.is_file():
        return path
    if (path / FILE).is_file():
        return path / FILE
    if str(name) in shipped_models():
        return shipped_models()[str(name)]
    known = ", ".join(shipped_models()) or "none"
    what = f"a folder without a {FILE}" if path.is_dir() else "not a file"
    raise HighwaterError(f"{name} is {what}, nor a model that ships with Highwater ({known})")
