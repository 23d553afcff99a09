// Bytes of a word: which ones a store enables and where its value goes, what a load takes.
module t13_access (
    input  logic [ 2:0] funct3,       // b, h, w, -, bu, hu
    input  logic [31:0] address,
    input  logic [31:0] store_value,
    output logic [ 3:0] enables,
    output logic [31:0] data_wdata,
    input  logic [31:0] data_rdata,
    output logic [31:0] loaded
);
  logic [4:0] shift;
  assign shift = {address[1:0], 3'b0};
  assign data_wdata = store_value << shift;

  logic [31:0] moved;
  assign moved = data_rdata >> shift;
  always @* begin
    case (funct3[1:0])
      2'd0: begin
        enables = 4'h1 << address[1:0];
        loaded = {{24{!funct3[2] && moved[7]}}, moved[7:0]};
      end
      2'd1: begin
        enables = 4'h3 << address[1:0];
        loaded = {{16{!funct3[2] && moved[15]}}, moved[15:0]};
      end
      default: begin
        enables = 4'hf;
        loaded = moved;
      end
    endcase
  end
endmodule
