"""The ops report: figures by code, a verdict by stated rules, words around them."""
