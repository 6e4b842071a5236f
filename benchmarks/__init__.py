"""What `./bench` runs: Highwater and other engines on the same models, in the same run."""
