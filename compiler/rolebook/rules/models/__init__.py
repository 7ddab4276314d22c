"""What the rules about models, settings and sizes share; loaded late, once one of them has something to judge."""
