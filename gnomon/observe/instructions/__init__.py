"""Instructions that a profile suggests: their pieces of code, files of a unit, and proof."""

from gnomon.observe.instructions._folder import choose_encoding, load_proposed, unit_texts
from gnomon.observe.instructions._mine import Proposal, propose_instructions
from gnomon.observe.instructions._prove import Proof, Rebuild, make_edit, prove_instruction

__all__ = [
    "Proof", "Proposal", "Rebuild", "choose_encoding", "load_proposed", "make_edit",
    "propose_instructions", "prove_instruction", "unit_texts",
]  # fmt: skip
