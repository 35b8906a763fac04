"""What holds on every platform: a member cannot tell which engine room serves them."""
