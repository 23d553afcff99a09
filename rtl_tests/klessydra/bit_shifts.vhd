-- Shifts of bit vectors by a count that is not constant, for synthesis.
--
-- The operators of the language are not synthesized for them. A copy of the core's sources uses this
-- package, whose operators take precedence over those of the language and mean the same for counts
-- that are not negative.
library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;

package gnomon_bit_shifts is
  function "sll" (value : bit_vector; count : integer) return bit_vector;
  function "srl" (value : bit_vector; count : integer) return bit_vector;
  function "sra" (value : bit_vector; count : integer) return bit_vector;
end package gnomon_bit_shifts;

package body gnomon_bit_shifts is

  function "sll" (value : bit_vector; count : integer) return bit_vector is
  begin
    return to_bitvector(std_logic_vector(shift_left(unsigned(to_stdlogicvector(value)), count)));
  end function "sll";

  function "srl" (value : bit_vector; count : integer) return bit_vector is
  begin
    return to_bitvector(std_logic_vector(shift_right(unsigned(to_stdlogicvector(value)), count)));
  end function "srl";

  function "sra" (value : bit_vector; count : integer) return bit_vector is
  begin
    return to_bitvector(std_logic_vector(shift_right(signed(to_stdlogicvector(value)), count)));
  end function "sra";

end package body gnomon_bit_shifts;
