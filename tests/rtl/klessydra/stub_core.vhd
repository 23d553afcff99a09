-- A core that is none: it fetches once, writes a word, reads it back, and stores the exit word.
-- With the ports, generics and inner signals that the bench knows, so that the bench can be tested
-- where the real core is not at hand.
library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;

entity stub_core is
  generic (
    THREAD_POOL_SIZE      : integer := 3;  -- unused, as the others
    superscalar_exec_en   : natural := 1;
    replicate_accl_en     : natural := 0;
    multithreaded_accl_en : natural := 0;
    SPM_NUM               : natural := 4;
    Addr_Width            : natural := 14;
    SPM_STRT_ADDR         : std_logic_vector(31 downto 0) := x"1000_0000";
    SIMD                  : natural := 1;
    count_all             : natural := 1
  );
  port (
    clk_i, rst_ni, fetch_enable_i, test_en_i : in std_logic;
    boot_addr_i    : in  std_logic_vector(31 downto 0);
    instr_req_o    : out std_logic;
    instr_gnt_i    : in  std_logic;
    instr_rvalid_i : in  std_logic;
    instr_addr_o   : out std_logic_vector(31 downto 0);
    instr_rdata_i  : in  std_logic_vector(31 downto 0);
    data_req_o     : out std_logic;
    data_gnt_i     : in  std_logic;
    data_rvalid_i  : in  std_logic;
    data_we_o      : out std_logic;
    data_be_o      : out std_logic_vector(3 downto 0);
    data_addr_o    : out std_logic_vector(31 downto 0);
    data_wdata_o   : out std_logic_vector(31 downto 0);
    data_rdata_i   : in  std_logic_vector(31 downto 0);
    data_err_i     : in  std_logic;
    irq_id_i       : in  std_logic_vector(4 downto 0);
    core_busy_o    : out std_logic
  );
end entity stub_core;

architecture rtl of stub_core is
  signal instr_rvalid_IE : std_logic := '0';
  signal harc_EXEC       : integer range 2 downto 0;
  signal pc_IE           : std_logic_vector(31 downto 0);
  signal instr_word_IE   : std_logic_vector(31 downto 0);
  signal step            : natural := 0;
  signal started         : std_logic := '0';
begin
  instr_req_o  <= started;
  instr_addr_o <= x"00000080";
  core_busy_o  <= started;

  process (clk_i)
  begin
    if rising_edge(clk_i) then
      instr_rvalid_IE <= '0';
      data_req_o      <= '0';
      data_we_o       <= '0';
      if rst_ni = '1' and fetch_enable_i = '1' then
        started <= '1';
      end if;
      if started = '1' then
        step <= step + 1;
      end if;
      case step is
        when 1 =>  -- the word asked for in cycle 0 is here in cycle 1
          instr_rvalid_IE <= '1';
          harc_EXEC       <= THREAD_POOL_SIZE - 1;
          pc_IE           <= x"00000080";
          instr_word_IE   <= instr_rdata_i;
        when 2 =>
          data_req_o   <= '1';
          data_we_o    <= '1';
          data_be_o    <= "0110";
          data_addr_o  <= x"00100010";
          data_wdata_o <= x"AABBCCDD";
        when 3 =>
          data_req_o  <= '1';
          data_addr_o <= x"00100010";
        when 5 =>  -- the word asked for in cycle 4
          data_req_o   <= '1';
          data_we_o    <= '1';
          data_be_o    <= "1111";
          data_addr_o  <= x"1A10FFF0";
          data_wdata_o <= data_rdata_i;
        when others =>
          null;
      end case;
    end if;
  end process;
end architecture rtl;
