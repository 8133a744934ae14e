"""Words that generated incidents are made of: services, people, hosts. Only the generator knows them."""

from __future__ import annotations

EDGES = ("web", "gateway", "storefront", "mobile-api", "portal")
SERVICES = (
    "checkout", "payment", "order-service", "inventory", "cart", "catalog", "pricing", "shipping", "user-profile",
    "auth", "billing", "ledger", "wallet", "coupon", "risk-engine", "invoice", "geo", "media", "session-store",
    "fulfilment", "loyalty", "reviews", "booking", "seatmap", "fare-engine", "subscription", "entitlement", "quote",
    "tax", "address-book", "stock-api", "dispatch", "routing-engine", "price-feed", "basket", "accounts",
)  # fmt: skip
WORKERS = ("mailer", "report-worker", "thumbnailer", "etl-nightly", "digest-job", "pdf-render")
PEOPLE = ("wei", "omar", "ana", "lin", "grace", "tomas", "priya", "jonas", "mei", "sofia", "kenji", "lucia")
PROVIDERS = (
    "api.acquirer.example",
    "rates.fx.example",
    "sms.carrier.example",
    "maps.tiles.example",
    "kyc.check.example",
)
WORDS = ("ledger", "window", "batch", "locale", "banner", "summary", "badge", "footer", "tooltip", "receipt")
FLAGS = ("new_rule_engine", "async_writes", "compact_payloads", "v2_flow", "parallel_lookup", "smart_retry")
HARMLESS_FLAGS = ("dark_theme", "new_footer", "survey_banner", "beta_badge")
