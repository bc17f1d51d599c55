"""The filter's language: `state:slow vendor:"Nord Fracht" stuck:>1h`. Text to what is wanted, and back."""
