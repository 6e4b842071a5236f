"""Makes the model that ships with Highwater: `python -m training --help`."""
