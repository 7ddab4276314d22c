"""Files that agents make and read: named, versioned, of any type."""
