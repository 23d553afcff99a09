"""The control and status registers of the machine, and the names assembly text may use.

All registers are per hart. A write to one that is not ``writable`` traps (illegal instruction). An
address outside the table reads 0 and ignores writes, without a trap.
"""

from gnomon.isa._instruction import table_rows

_ROWS = table_rows("csrs.csv")
CSR_ADDRESS: dict[str, int] = {row["name"]: int(row["address"], 16) for row in _ROWS}
CSR_NAME: dict[int, str] = {address: name for name, address in CSR_ADDRESS.items()}
CSR_DESCRIPTION: dict[str, str] = {row["name"]: row["description"] for row in _ROWS}
