"""What can be measured: one file for each operation or family of them."""
