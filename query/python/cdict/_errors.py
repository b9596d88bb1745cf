# SPDX-License-Identifier: LGPL-2.1-only
"""The exception of this module."""


class Error(Exception):
    """A failure of libcdict or of the program cdict.

    str(error)  one line, as the command prints it
    code        negative code of <cdict/error.h>, or the program's exit status
    """

    def __init__(self, text, code=-1):
        super().__init__(text)
        self.code = code


def import_numpy():
    """NumPy, or an Error that names the missing module."""
    try:
        import numpy
    except ImportError as error:
        raise Error("NumPy is not installed (python3-numpy)") from error
    return numpy


def import_pandas():
    """pandas, or an Error that names the missing module."""
    try:
        import pandas
    except ImportError as error:
        raise Error("pandas is not installed (python3-pandas)") from error
    return pandas
