-- What copies of a core's sources use in place of what GHDL does not take.
--
-- Shifts of bit vectors by a count that is not constant are not synthesized: these operators take
-- precedence over those of the language and mean the same for counts that are not negative.
-- `one_hot` is the aggregate (place => '1', others => '0') with the range of another vector.
library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;

package gnomon_bits is
  function "sll" (value : bit_vector; count : integer) return bit_vector;
  function "srl" (value : bit_vector; count : integer) return bit_vector;
  function "sra" (value : bit_vector; count : integer) return bit_vector;
  function one_hot (place : integer; like : std_logic_vector) return std_logic_vector;
end package gnomon_bits;

package body gnomon_bits is

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

  function one_hot (place : integer; like : std_logic_vector) return std_logic_vector is
    variable result : std_logic_vector(like'range) := (others => '0');
  begin
    result(place) := '1';
    return result;
  end function one_hot;

end package body gnomon_bits;
