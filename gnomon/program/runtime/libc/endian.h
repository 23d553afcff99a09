/* Order of bytes: the machines are little-endian. */
#ifndef GNOMON_ENDIAN_H
#define GNOMON_ENDIAN_H

#include <stdint.h>

#define LITTLE_ENDIAN 1234
#define BIG_ENDIAN 4321
#define BYTE_ORDER LITTLE_ENDIAN

static inline uint16_t htobe16(uint16_t value) { return (uint16_t)(value << 8 | value >> 8); }
static inline uint32_t htobe32(uint32_t value) {
    return value << 24 | (value & 0xff00u) << 8 | (value >> 8 & 0xff00u) | value >> 24;
}
static inline uint64_t htobe64(uint64_t value) {
    return (uint64_t)htobe32((uint32_t)value) << 32 | htobe32((uint32_t)(value >> 32));
}
#define be16toh htobe16
#define be32toh htobe32
#define be64toh htobe64
#define htole16(value) ((uint16_t)(value))
#define htole32(value) ((uint32_t)(value))
#define htole64(value) ((uint64_t)(value))
#define le16toh htole16
#define le32toh htole32
#define le64toh htole64

#endif
