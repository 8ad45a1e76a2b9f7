# SPDX-License-Identifier: BSD-2-Clause
"""Streams that real encoders make, for machines without the conformance streams."""
