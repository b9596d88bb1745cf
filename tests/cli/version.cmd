$CDICT --version
