"""Purchase orders: a nine-step workflow, the vendors it pays, and the traffic that feeds it."""
