"""The HTTP server of `hermes-ops serve`: one application made of groups of routes. `routes.GROUPS` names them all."""
