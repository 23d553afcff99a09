// Clock and reset for a machine that Verilator has translated.
#include "Vt13_platform.h"
#include "verilated.h"

int main(int count, char** words) {
    VerilatedContext context;
    context.commandArgs(count, words);
    Vt13_platform platform{&context};
    platform.rst_n = 0;
    for (int edge = 0; !context.gotFinish(); ++edge) {
        if (edge == 8) platform.rst_n = 1;
        platform.clk = edge & 1;
        platform.eval();
        context.timeInc(5);
    }
    platform.final();
    return 0;
}
