"""What the rules about models, settings and sizes share. It takes a while to load, so it is once there is need of it."""
