// A port for instructions and one for data, classic cycles, acknowledged in the next cycle.
// ports: ibus_adr ibus_cyc ibus_rdt ibus_ack dbus_adr dbus_dat dbus_sel dbus_we dbus_cyc dbus_rdt dbus_ack
 wire ibus_cyc, dbus_cyc, dbus_we; wire [31:0] ibus_adr, dbus_adr, dbus_dat; wire [3:0] dbus_sel;
 reg ibus_ack = 0, dbus_ack = 0; reg [31:0] ibus_rdt = 0, dbus_rdt = 0;
 integer icount = 0, dcount = 0;
 wire [31:0] iwaits = instruction_waits + waits_at(ibus_adr), dwaits = data_waits + waits_at(dbus_adr);
 always @(posedge clock) begin
  ibus_ack <= ibus_cyc && !ibus_ack && icount >= iwaits;
  icount <= ibus_cyc && !ibus_ack && icount < iwaits ? icount + 1 : 0;
  ibus_rdt <= memory[place(ibus_adr)];
  dbus_ack <= dbus_cyc && !dbus_ack && dcount >= dwaits;
  dcount <= dbus_cyc && !dbus_ack && dcount < dwaits ? dcount + 1 : 0;
  dbus_rdt <= memory[place(dbus_adr)];
  if (dbus_ack && dbus_cyc && dbus_we) store(dbus_adr, dbus_dat, dbus_sel);
 end
