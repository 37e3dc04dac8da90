"""What must hold for every page of `tests.support.browser.addresses`."""
