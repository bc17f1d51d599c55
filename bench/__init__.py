"""What Leaseboard costs, as ratios taken in one run against the bare statement or a peer on the same server."""
