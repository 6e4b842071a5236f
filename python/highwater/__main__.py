"""`python -m highwater` is the command `highwater`."""

from highwater.cli import main

if __name__ == "__main__":
    main()
