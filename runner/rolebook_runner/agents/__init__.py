"""What each kind of agent does when its turn comes."""
