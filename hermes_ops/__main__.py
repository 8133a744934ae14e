"""`python -m hermes_ops` is the command `hermes-ops`."""

from hermes_ops.cli.main import main

if __name__ == "__main__":
    main()
