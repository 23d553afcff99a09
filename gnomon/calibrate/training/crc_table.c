// CRC-16 of 48 bytes by a table of 256 half words, which is linear in its index.
static unsigned short table[256];
int main(void) {
    unsigned value = 0x8000;
    for (unsigned bit = 1; bit < 256; bit <<= 1) {
        value = (value & 0x8000u ? value << 1 ^ 0x1021u : value << 1) & 0xffff;
        for (unsigned k = 0; k < bit; k++) table[bit + k] = (unsigned short)(value ^ table[k]);
    }
    unsigned crc = 0xffff;
    for (unsigned k = 0, byte = 17; k < 48; k++, byte = byte * 5 + 3)
        crc = (crc << 8 ^ table[(crc >> 8 ^ byte) & 0xff]) & 0xffff;
    return crc & 0xff;
}
