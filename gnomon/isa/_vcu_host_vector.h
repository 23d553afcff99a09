/* ---- vector operations -------------------------------------------------------------------- */

/* What the rs2 field of an operation is. rs1 is a vector unless the operation is kbcast. */
enum vcu_host_operand { VCU_NONE, VCU_VECTOR, VCU_SPM_SCALAR, VCU_VALUE };

/* Offset of the last byte. The hardware looks at one bit of it: VCU_SPM_BYTES. */
VCU_HOST_INLINE uint32_t vcu_host_last(uint32_t is_vector, uint32_t address, uint32_t bytes)
{
    return is_vector ? vcu_host_offset(address) + bytes - 1 : 0;
}

/* The hardware reads ahead of its writes by some beats; a result that lands above the start of
 * its source, but inside it, is read back or not depending on timing. Below, or in place, is safe. */
VCU_HOST_INLINE uint32_t vcu_host_overlaps(uint32_t rd, uint32_t source, uint32_t bytes)
{
    return rd > source && rd < source + 4 * vcu_host_words(bytes);
}

/* Returns 0 if the operation may run. Traps first, in the order of the hardware. */
VCU_HOST_INLINE uint32_t vcu_host_check(uint32_t vector_rd, enum vcu_host_operand kind1,
                                        enum vcu_host_operand kind2, uint32_t rd, uint32_t rs1,
                                        uint32_t rs2)
{
    const uint32_t n = vcu_host.mvsize_bytes, none = VCU_SPM_COUNT;
    const uint32_t vector1 = kind1 == VCU_VECTOR, vector2 = kind2 == VCU_VECTOR;
    const uint32_t spm1 = vcu_host_scratchpad(rs1), spm2 = vcu_host_scratchpad(rs2);
    if (vcu_host.mvtype == VCU_32_BIT && n % 4 != 0) return VCU_FAULT_SIZE;
    if (vcu_host.mvtype == VCU_16_BIT && n % 2 != 0) return VCU_FAULT_SIZE;
    if ((vector1 && spm1 == none) || (vector2 && spm2 == none) || vcu_host_scratchpad(rd) == none) {
        return VCU_FAULT_NOT_SCRATCHPAD;
    }
    if (vector1 && vector2 && spm1 == spm2) return VCU_FAULT_SAME_SCRATCHPAD;
    const uint32_t last1 = vcu_host_last(vector1, rs1, n), last2 = vcu_host_last(vector2, rs2, n);
    const uint32_t last_rd = vcu_host_last(vector_rd, rd, n), size = VCU_SPM_BYTES;
    if (((last1 | last2 | last_rd) & size) != 0) return VCU_FAULT_OVERRUN;
    if (((last1 | last2 | last_rd) & 2 * size) != 0) return VCU_HOST_SIZE;
    if (vcu_host.mvtype > VCU_32_BIT) return VCU_HOST_TYPE;
    if (rd % 4 != 0 || (vector1 && rs1 % 4 != 0)) return VCU_HOST_UNALIGNED;
    if ((vector2 || kind2 == VCU_SPM_SCALAR) && rs2 % 4 != 0) return VCU_HOST_UNALIGNED;
    if (vector1 && vcu_host_overlaps(rd, rs1, n)) return VCU_HOST_OVERLAP;
    if (vector2 && vcu_host_overlaps(rd, rs2, n)) return VCU_HOST_OVERLAP;
    if (kind2 == VCU_SPM_SCALAR) {
        if (spm2 == none || spm2 == spm1) return VCU_HOST_SCALAR;
        /* The scalar is read again for every beat. */
        if (rs2 >= rd && rs2 < rd + 4 * vcu_host_words(n)) return VCU_HOST_OVERLAP;
    }
    return 0;
}

VCU_HOST_INLINE uint32_t vcu_host_mask(uint32_t bits)
{
    return 0xffffffffu >> (32 - bits);
}

/* Sign bit of an element, shifted down: 0 or 1. */
VCU_HOST_INLINE uint32_t vcu_host_sign(uint32_t value, uint32_t bits)
{
    return value >> (bits - 1) & 1;
}

VCU_HOST_INLINE uint32_t vcu_host_shift_right_arithmetic(uint32_t value, uint32_t shift)
{
    return value >> shift | (vcu_host_sign(value, 32) ? ~(0xffffffffu >> shift) : 0);
}

/* Magnitude of a signed word, 0 to 2^31. */
VCU_HOST_INLINE uint32_t vcu_host_magnitude(uint32_t value)
{
    return vcu_host_sign(value, 32) ? 0u - value : value;
}

VCU_HOST_INLINE uint32_t vcu_host_negate_if(uint32_t negative, uint32_t value)
{
    return negative ? 0u - value : value;
}

/* Towards zero; -2^31 / -1 is -2^31. */
VCU_HOST_INLINE uint32_t vcu_host_quotient(uint32_t a, uint32_t b)
{
    const uint32_t negative = vcu_host_sign(a ^ b, 32);
    if (b == 0) return VCU_DIVIDE_BY_ZERO_RISCV ? 0xffffffffu : 0;
    return vcu_host_negate_if(negative, vcu_host_magnitude(a) / vcu_host_magnitude(b));
}

/* Has the sign of the dividend. */
VCU_HOST_INLINE uint32_t vcu_host_remainder(uint32_t a, uint32_t b)
{
    if (b == 0) return VCU_DIVIDE_BY_ZERO_RISCV ? a : 0;
    return vcu_host_negate_if(vcu_host_sign(a, 32), vcu_host_magnitude(a) % vcu_host_magnitude(b));
}

VCU_HOST_INLINE uint64_t vcu_host_extend(uint32_t value)
{
    return value | (vcu_host_sign(value, 32) ? 0xffffffff00000000u : 0);
}

/* Low word of floor(a * b / 2^shift). The bits that are kept lie below bit 63. */
VCU_HOST_INLINE uint32_t vcu_host_post_scaled(uint32_t a, uint32_t b)
{
    const uint32_t fixed = (uint32_t)(VCU_POSTSCALE_SHIFT);
    const uint32_t shift = VCU_POSTSCALE_SHIFT < 0 ? vcu_host.mpsclfac : fixed & 31;
    return (uint32_t)(vcu_host_extend(a) * vcu_host_extend(b) >> shift);
}

/* (a << MPSCLFAC) / b towards zero, saturated; x / 0 is the limit on the side of x, 0 / 0 is 0. */
VCU_HOST_INLINE uint32_t vcu_host_pre_shifted(uint32_t a, uint32_t b)
{
    const uint32_t negative = vcu_host_sign(a ^ b, 32), limit = 0x7fffffffu + negative;
    if (b == 0) return a == 0 ? 0 : 0x7fffffffu + vcu_host_sign(a, 32);
    const uint64_t dividend = (uint64_t)vcu_host_magnitude(a) << vcu_host.mpsclfac;
    const uint64_t quotient = dividend / vcu_host_magnitude(b);
    return vcu_host_negate_if(negative, quotient > limit ? limit : (uint32_t)quotient);
}

/* One element; the caller keeps the low bits. */
VCU_HOST_INLINE uint32_t vcu_host_element(enum vcu_operation operation, uint32_t bits, uint32_t a,
                                          uint32_t b)
{
    const uint32_t flip = 1u << (bits - 1); /* turns a signed comparison into an unsigned one */
    switch (operation) {
    case VCU_KADDV: case VCU_KSVADDSC: case VCU_KSVADDRF: return a + b;
    case VCU_KSUBV: return a - b;
    case VCU_KVMUL: case VCU_KSVMULSC: case VCU_KSVMULRF: return a * b;
    case VCU_KRELU: return vcu_host_sign(a, bits) ? 0 : a;
    case VCU_KVSLT: case VCU_KSVSLT: return (a ^ flip) < (b ^ flip);
    case VCU_KBCAST: case VCU_KVCP: return a;
    case VCU_KVDIV: case VCU_KSVDIVSC: case VCU_KSVDIVRF: return vcu_host_quotient(a, b);
    case VCU_KVREM: case VCU_KSVREMSC: case VCU_KSVREMRF: return vcu_host_remainder(a, b);
    case VCU_KVMULPS: case VCU_KSVMULPSSC: case VCU_KSVMULPSRF: return vcu_host_post_scaled(a, b);
    case VCU_KVDIVPS: case VCU_KSVDIVPSSC: case VCU_KSVDIVPSRF: return vcu_host_pre_shifted(a, b);
    default: abort(); /* generator and emulation disagree */
    }
}

/* One word of 8 or 16 bit lanes: the word is shifted as a whole, then each lane keeps its low
 * kept_bits - shift mod bits; those of a negative lane get ones above, if signs are asked for. */
VCU_HOST_INLINE uint32_t vcu_host_shift_lanes(uint32_t word, uint32_t shift, uint32_t bits,
                                              uint32_t lane_mask, uint32_t arithmetic)
{
    const uint32_t part = shift % bits;
    uint32_t result = word >> shift & lane_mask;
    for (uint32_t low = 0; arithmetic && low < 32; low += bits) {
        const uint32_t lane = word >> low & vcu_host_mask(bits);
        if (vcu_host_sign(lane, bits)) {
            result |= (vcu_host_mask(part + 1) << (bits - part - 1)) << low;
        }
    }
    return result;
}

VCU_HOST_INLINE uint32_t vcu_host_repeat(uint32_t lane, uint32_t bits)
{
    lane &= vcu_host_mask(bits);
    return bits == 8 ? lane * 0x01010101u : bits == 16 ? lane * 0x00010001u : lane;
}

/* One word of elements. */
VCU_HOST_INLINE uint32_t vcu_host_lanes(enum vcu_operation operation, uint32_t bits, uint32_t a,
                                        uint32_t b)
{
    if (operation == VCU_KSRAV || operation == VCU_KSRLV) {
        const uint32_t shift = b & 31, arithmetic = operation == VCU_KSRAV;
        if (bits == 32) return arithmetic ? vcu_host_shift_right_arithmetic(a, shift) : a >> shift;
        const uint32_t kept = vcu_host_repeat(vcu_host_mask(bits - shift % bits), bits);
        return vcu_host_shift_lanes(a, shift, bits, kept, arithmetic);
    }
    uint32_t word = 0;
    for (uint32_t low = 0; low < 32; low += bits) {
        const uint32_t mask = vcu_host_mask(bits);
        const uint32_t lane = vcu_host_element(operation, bits, a >> low & mask, b >> low & mask);
        word |= (lane & mask) << low;
    }
    return word;
}

VCU_HOST_INLINE uint32_t vcu_host_is_product(enum vcu_operation operation)
{
    return operation == VCU_KVMUL || operation == VCU_KSVMULSC || operation == VCU_KSVMULRF;
}

VCU_HOST_INLINE void vcu_host_map(enum vcu_operation operation, uint32_t bits, uint32_t *rd,
                                  const uint32_t *a, const uint32_t *b, uint32_t fixed_a,
                                  uint32_t fixed_b)
{
    const uint32_t n = vcu_host.mvsize_bytes;
    if (operation != VCU_KSRAV && operation != VCU_KSRLV) fixed_b = vcu_host_repeat(fixed_b, bits);
    fixed_a = vcu_host_repeat(fixed_a, bits);
    for (uint32_t word = 0; word < vcu_host_words(n); ++word) {
        rd[word] = vcu_host_lanes(operation, bits, a ? a[word] : fixed_a, b ? b[word] : fixed_b);
        if (VCU_SIMD == 1 && bits == 8 && vcu_host_is_product(operation)) {
            /* Two bytes per beat: the second beat of a word overwrites it with zeros. */
            rd[word] = n > 4 * word + 2 ? 0 : rd[word] & 0xffff;
        }
    }
}

/* Operations beyond those of the public T13x: the hardware of none of them takes 8 or 16 bits. */
VCU_HOST_INLINE uint32_t vcu_host_is_optional(enum vcu_operation operation)
{
    return operation >= VCU_KVDIV;
}

/* Operations whose result is a vector. */
VCU_HOST_INLINE void vcu_host_vector(enum vcu_operation operation, enum vcu_host_operand kind1,
                                     enum vcu_host_operand kind2, uint32_t rd, uint32_t rs1,
                                     uint32_t rs2)
{
    if (vcu_host.mvsize_bytes == 0) return;
    uint32_t code = vcu_host_check(1, kind1, kind2, rd, rs1, rs2);
    if (code == 0 && vcu_host.mvtype != VCU_32_BIT && vcu_host_is_optional(operation)) {
        code = VCU_HOST_NARROW;
    }
    if (code != 0) {
        vcu_host_fault(code);
        return;
    }
    uint32_t *d = vcu_host_word(rd);
    const uint32_t *a = kind1 == VCU_VECTOR ? vcu_host_word(rs1) : NULL;
    const uint32_t *b = kind2 == VCU_VECTOR ? vcu_host_word(rs2) : NULL;
    const uint32_t fixed = kind2 == VCU_SPM_SCALAR ? *vcu_host_word(rs2) : rs2;
    switch (vcu_host.mvtype) {
    case VCU_8_BIT: vcu_host_map(operation, 8, d, a, b, rs1, fixed); break;
    case VCU_16_BIT: vcu_host_map(operation, 16, d, a, b, rs1, fixed); break;
    default: vcu_host_map(operation, 32, d, a, b, rs1, fixed); break;
    }
}

VCU_HOST_INLINE uint32_t vcu_host_sum_32(enum vcu_operation operation, const uint32_t *a,
                                         const uint32_t *b)
{
    uint32_t sum = 0;
    for (uint32_t word = 0; word < vcu_host.mvsize_bytes / 4; ++word) {
        const uint32_t term = operation == VCU_KVRED ? a[word] : a[word] * b[word];
        sum += operation == VCU_KDOTPPS ? vcu_host_shift_right_arithmetic(term, vcu_host.mpsclfac)
                                        : term;
    }
    return sum;
}

VCU_HOST_INLINE uint32_t vcu_host_term(enum vcu_operation operation, uint32_t bits,
                                       const uint32_t *a, const uint32_t *b, uint32_t element)
{
    const uint32_t word = element * bits / 32, low = element * bits % 32;
    const uint32_t x = a[word] >> low & vcu_host_mask(bits);
    if (operation == VCU_KVRED) return x;
    return x * (b[word] >> low & vcu_host_mask(bits)) & 0xffff;
}

/* 8 and 16 bit: a beat holds 2 * SIMD lanes of 16 bits and is summed modulo 2^16; the beat sums
 * are added without sign. 8 bit elements count as unsigned. */
VCU_HOST_INLINE uint32_t vcu_host_sum_lanes(enum vcu_operation operation, uint32_t bits,
                                            const uint32_t *a, const uint32_t *b)
{
    const uint32_t elements = vcu_host.mvsize_bytes * 8 / bits, shift = vcu_host.mpsclfac;
    const uint32_t lanes = 2 * VCU_SIMD;
    uint32_t sum = 0;
    for (uint32_t beat = 0; beat * lanes < elements; ++beat) {
        uint32_t beat_sum = 0;
        /* SIMD 1 reads one word per beat, but steps by two bytes: bytes 2 and 3 are never used. */
        const uint32_t first = VCU_SIMD == 1 && bits == 8 ? beat / 2 * 4 : beat * lanes;
        for (uint32_t lane = 0; lane < lanes && beat * lanes + lane < elements; lane += 2) {
            uint32_t pair = vcu_host_term(operation, bits, a, b, first + lane);
            if (beat * lanes + lane + 1 < elements) {
                pair |= vcu_host_term(operation, bits, a, b, first + lane + 1) << 16;
            }
            if (operation == VCU_KDOTPPS) {
                const uint32_t kept = vcu_host_mask(bits - shift % bits) * 0x00010001u;
                pair = vcu_host_shift_lanes(pair, shift, bits, kept, 1);
            }
            beat_sum += pair + (pair >> 16);
        }
        sum += beat_sum & 0xffff;
    }
    return sum;
}

/* Operations whose result is one word. */
VCU_HOST_INLINE void vcu_host_reduction(enum vcu_operation operation, enum vcu_host_operand kind1,
                                        enum vcu_host_operand kind2, uint32_t rd, uint32_t rs1,
                                        uint32_t rs2)
{
    if (vcu_host.mvsize_bytes == 0) return;
    const uint32_t code = vcu_host_check(0, kind1, kind2, rd, rs1, rs2);
    if (code != 0) {
        vcu_host_fault(code);
        return;
    }
    const uint32_t *a = vcu_host_word(rs1);
    const uint32_t *b = kind2 == VCU_VECTOR ? vcu_host_word(rs2) : NULL;
    switch (vcu_host.mvtype) {
    case VCU_8_BIT: *vcu_host_word(rd) = vcu_host_sum_lanes(operation, 8, a, b); break;
    case VCU_16_BIT: *vcu_host_word(rd) = vcu_host_sum_lanes(operation, 16, a, b); break;
    default: *vcu_host_word(rd) = vcu_host_sum_32(operation, a, b); break;
    }
}
