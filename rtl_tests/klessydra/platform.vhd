-- What stands around the core under test: clock, reset, both memories and the program protocol.
--
-- All of it is here and not in Python, so that the simulation waits for Python once per cycle and
-- no more. Each run reads and writes three files in the folder it is started in:
--   image.txt   in:  one "address word" per line, hexadecimal, byte address of the word
--   bus.txt     out: one request on the data bus per line: cycle, byte enables (0 = read),
--                    address, data written; a hexadecimal digit that is undefined is an X
--   memory.txt  out: the words of both memories that are not zero, as in image.txt, at the exit
--
-- Cycle 0 is the first cycle with an instruction request. Every request is granted in its own
-- cycle and answered one cycle later. VHDL-2008.

library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;
use std.textio.all;

entity klessydra_platform is
  generic (
    instruction_bytes : positive := 262144;  -- at address 0
    data_base         : positive := 1048576;
    data_bytes        : positive := 262144
  );
  port (
    stop_i         : in  std_logic;  -- stops the clock for good
    done_o         : out std_logic;  -- the exit word was stored in the cycle before
    clk_o          : out std_logic := '0';
    rst_n_o        : out std_logic;
    fetch_enable_o : out std_logic;  -- rises after the reset, as the core fetches address 0 else
    instr_req_i    : in  std_logic;
    instr_gnt_o    : out std_logic;
    instr_rvalid_o : out std_logic;
    instr_addr_i   : in  std_logic_vector(31 downto 0);
    instr_rdata_o  : out std_logic_vector(31 downto 0);
    data_req_i     : in  std_logic;
    data_gnt_o     : out std_logic;
    data_rvalid_o  : out std_logic;
    data_we_i      : in  std_logic;
    data_be_i      : in  std_logic_vector(3 downto 0);
    data_addr_i    : in  std_logic_vector(31 downto 0);
    data_wdata_i   : in  std_logic_vector(31 downto 0);
    data_rdata_o   : out std_logic_vector(31 downto 0);
    data_err_o     : out std_logic
  );
end entity klessydra_platform;

architecture behaviour of klessydra_platform is

  subtype word is std_logic_vector(31 downto 0);
  type words is array (natural range <>) of word;

  constant exit_address  : word := x"1A10FFF0";
  constant cycle_address : word := x"1A10FFF8";
  constant error_page    : std_logic_vector(15 downto 0) := x"DEAD";
  constant swi_page      : std_logic_vector(23 downto 0) := x"0000FF";

  constant half_period   : time := 5 ns;
  constant reset_edges   : positive := 8;

  -- Where a word is: 0 up to the words of both memories, or -1.
  function place(address : word) return integer is
    variable number : unsigned(31 downto 0);
  begin
    if is_x(address) then
      return -1;
    end if;
    number := unsigned(address);
    if number < instruction_bytes then
      return to_integer(number) / 4;
    end if;
    if number >= data_base and number - data_base < data_bytes then
      return instruction_bytes / 4 + to_integer(number - data_base) / 4;
    end if;
    return -1;
  end function place;

  function address_of(index : natural) return word is
  begin
    if index < instruction_bytes / 4 then
      return std_logic_vector(to_unsigned(4 * index, 32));
    end if;
    return std_logic_vector(to_unsigned(data_base + 4 * index - instruction_bytes, 32));
  end function address_of;

begin

  instr_gnt_o <= instr_req_i;
  data_gnt_o  <= data_req_i;
  data_err_o  <= '1' when data_req_i = '1' and data_addr_i(31 downto 16) = error_page else '0';

  -- It drives its port and nothing in between: a copy would tick one delta cycle later, and the
  -- core would see answers a cycle early. A clock that runs on after the last check keeps some
  -- simulators from ending.
  clock : process
    variable after_exit : natural := 0;
  begin
    rst_n_o        <= '0';
    fetch_enable_o <= '0';
    for edge in 1 to reset_edges loop
      wait for half_period;
      clk_o <= not clk_o;
    end loop;
    rst_n_o <= '1';
    for edge in 1 to reset_edges + 1 loop  -- up to a rising edge
      wait for half_period;
      clk_o <= not clk_o;
    end loop;
    fetch_enable_o <= '1' after half_period / 2;
    while stop_i /= '1' and after_exit < reset_edges loop
      wait for half_period;
      clk_o <= not clk_o;
      if done_o = '1' then
        after_exit := after_exit + 1;
      end if;
    end loop;
    wait;
  end process clock;

  memory : process
    variable content : words(0 to (instruction_bytes + data_bytes) / 4 - 1);
    variable cycle   : integer := -1;
    variable over    : boolean := false;
    variable where   : integer;
    file image_file  : text;
    file bus_file    : text;
    file memory_file : text;
    variable row     : line;
    variable address : word;
    variable value   : word;
  begin
    content        := (others => (others => '0'));
    done_o         <= '0';
    instr_rvalid_o <= '0';
    instr_rdata_o  <= (others => '0');
    data_rvalid_o  <= '0';
    data_rdata_o   <= (others => '0');
    file_open(image_file, "image.txt", read_mode);
    while not endfile(image_file) loop
      readline(image_file, row);
      hread(row, address);
      hread(row, value);
      where := place(address);
      assert where >= 0 report "image.txt: no memory at " & to_hstring(address) severity failure;
      content(where) := value;
    end loop;
    file_close(image_file);
    file_open(bus_file, "bus.txt", write_mode);

    while not over loop
      wait until rising_edge(clk_o);
      -- The cycle that ends here.
      if cycle >= 0 then
        cycle := cycle + 1;
      elsif instr_req_i = '1' then
        cycle := 0;
      end if;

      instr_rvalid_o <= instr_req_i;
      if instr_req_i = '1' then
        -- A fetch outside the memory repeats it, a fault that the program must not make.
        if is_x(instr_addr_i) then
          instr_rdata_o <= (others => 'X');
        else
          instr_rdata_o <= content(to_integer(unsigned(instr_addr_i)
                                              mod instruction_bytes) / 4);
        end if;
      end if;

      data_rvalid_o <= data_req_i;
      data_rdata_o  <= (others => '0');
      if data_req_i = '1' then
        where := place(data_addr_i);
        write(row, cycle);
        write(row, ' ');
        if data_we_i = '1' then
          write(row, to_hstring(data_be_i) & " " & to_hstring(data_addr_i) & " "
                     & to_hstring(data_wdata_i));
          if where >= 0 and data_addr_i(31 downto 8) /= swi_page then
            for lane in 0 to 3 loop
              if data_be_i(lane) = '1' then
                content(where)(8 * lane + 7 downto 8 * lane) :=
                  data_wdata_i(8 * lane + 7 downto 8 * lane);
              end if;
            end loop;
          end if;
          over := data_addr_i(31 downto 2) = exit_address(31 downto 2);
        else
          write(row, "0 " & to_hstring(data_addr_i) & " 00000000");
          if where >= 0 then
            data_rdata_o <= content(where);
          elsif data_addr_i(31 downto 2) = cycle_address(31 downto 2) then
            data_rdata_o <= std_logic_vector(to_unsigned(cycle, 32));
          end if;
        end if;
        writeline(bus_file, row);
      end if;
    end loop;
    file_close(bus_file);

    file_open(memory_file, "memory.txt", write_mode);
    for index in content'range loop
      if content(index) /= word'(others => '0') then
        write(row, to_hstring(address_of(index)) & " " & to_hstring(content(index)));
        writeline(memory_file, row);
      end if;
    end loop;
    file_close(memory_file);
    done_o <= '1';
    wait;
  end process memory;

end architecture behaviour;
