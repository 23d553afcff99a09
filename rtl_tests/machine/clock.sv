// Clock and reset for simulators that run on their own.
module t13_clock;
  logic clk = 1'b0;
  logic rst_n = 1'b0;
  always #5 clk = !clk;
  initial begin
    repeat (4) @(negedge clk);
    rst_n = 1'b1;
  end
  t13_platform platform (
      .clk,
      .rst_n
  );
  string wave;
  initial
    if ($value$plusargs("wave=%s", wave)) begin
      $dumpfile(wave);
      $dumpvars(0, platform.machine);
    end
endmodule
