# SPDX-License-Identifier: BSD-2-Clause
"""What the command line tools and the tests share. Python's standard library only."""
