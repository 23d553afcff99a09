// CRC-32 of 24 bytes, by a table of 16 entries that is computed first.
static unsigned table[16];
int main(void) {
    for (unsigned k = 0; k < 16; k++) {
        unsigned value = k;
        for (int bit = 0; bit < 4; bit++) value = value & 1 ? value >> 1 ^ 0xedb88320u : value >> 1;
        table[k] = value;
    }
    unsigned crc = ~0u, byte = 0x5a;
    for (int k = 0; k < 24; k++, byte = byte * 13 + 7) {
        crc ^= byte & 0xff;
        crc = crc >> 4 ^ table[crc & 15];
        crc = crc >> 4 ^ table[crc & 15];
    }
    return crc & 0xff;
}
