// Rotation mode, 29 fraction bits, 24 steps; x begins with the product of the scale factors.
module unit_cordic (
    input  logic        clk,
    input  logic        rst_n,
    input  logic        start,
    input  logic [ 2:0] hart,
    input  logic [31:0] word,
    input  logic [31:0] a,
    input  logic [31:0] b,
    input  logic [31:0] c,
    output logic        done,
    output logic [31:0] result
);
  logic signed [31:0] xs[8], ys[8], zs[8];
  logic [4:0] steps[8];
  logic signed [31:0] x, y, z, next_z, angle;
  logic [4:0] step;
  logic back, ended;
  assign {x, y, z, step} = {xs[hart], ys[hart], zs[hart], steps[hart]};
  assign back = z < 0;
  assign ended = step == 5'd24;
  always_comb begin
    case (step)
      5'd0: angle = 32'h1921fb54;
      5'd1: angle = 32'h0ed63383;
      5'd2: angle = 32'h07d6dd7e;
      5'd3: angle = 32'h03fab753;
      5'd4: angle = 32'h01ff55bb;
      5'd5: angle = 32'h00ffeaae;
      5'd6: angle = 32'h007ffd55;
      5'd7: angle = 32'h003fffab;
      5'd8: angle = 32'h001ffff5;
      5'd9: angle = 32'h000fffff;
      5'd10: angle = 32'h00080000;
      5'd11: angle = 32'h00040000;
      5'd12: angle = 32'h00020000;
      5'd13: angle = 32'h00010000;
      5'd14: angle = 32'h00008000;
      5'd15: angle = 32'h00004000;
      5'd16: angle = 32'h00002000;
      5'd17: angle = 32'h00001000;
      5'd18: angle = 32'h00000800;
      5'd19: angle = 32'h00000400;
      5'd20: angle = 32'h00000200;
      5'd21: angle = 32'h00000100;
      5'd22: angle = 32'h00000080;
      5'd23: angle = 32'h00000040;
      default: angle = 32'h0;
    endcase
  end
  assign next_z = ended ? z : back ? z + angle : z - angle;
  assign done = start;
  always_comb begin
    case (word[14:12])
      3'd1: result = next_z;
      3'd2: result = x;
      3'd3: result = y;
      default: result = 32'd0;
    endcase
  end
  always_ff @(posedge clk) begin
    if (!rst_n) begin
      for (int h = 0; h < 8; h++) {xs[h], ys[h], zs[h], steps[h]} <= '0;
    end else if (start && word[14:12] == 3'd0) begin
      {xs[hart], ys[hart], zs[hart], steps[hart]} <= {32'h136e9db5, 32'd0, a, 5'd0};
    end else if (start && word[14:12] == 3'd1 && !ended) begin
      xs[hart] <= back ? x + (y >>> step) : x - (y >>> step);
      ys[hart] <= back ? y - (x >>> step) : y + (x >>> step);
      zs[hart] <= next_z;
      steps[hart] <= step + 5'd1;
    end
  end
endmodule
