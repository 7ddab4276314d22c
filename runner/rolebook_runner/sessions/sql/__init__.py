"""Sessions in a database, by SQLAlchemy Core. Loading it takes as long as a short run, so `storage` does that late."""
