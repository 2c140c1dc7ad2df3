# SPDX-License-Identifier: Apache-2.0
"""The accuracy report: one self-contained HTML page about a study folder."""
