/* Recorded paths: structs that the recorder, the pricing and Python share. */

/* Kinds of events. */
#define EVENT_VECTOR 1
#define EVENT_DIVIDE 2 /* a vector division */
#define EVENT_TRANSFER 3
#define EVENT_MEMORY 4   /* the first load or store after a transfer */
#define EVENT_DIVISION 5 /* of the scalar core */
#define EVENT_MARK 6     /* a region starts or ends */

#define REFUSED 100 /* result of the recorder if a path cannot be priced on other machines */

/* An event that the timing of a run depends on. `count` is: VECTOR, DIVIDE: bytes; TRANSFER: words;
   DIVISION: static cycles beyond the first; MARK: its number. */
typedef struct Event {
    int64_t cycle; /* with all units idle */
    uint8_t kind; /* EVENT_* */
    uint8_t op; /* VECTOR, DIVIDE, DIVISION: instruction; TRANSFER: 1 = store */
    uint8_t sources; /* VECTOR, DIVIDE: mask of the scratchpads read */
    uint8_t target; /* mask of the scratchpad written; TRANSFER: of its scratchpad */
    int32_t count;
    int32_t x; /* DIVISION: dividend; DIVIDE: its first pair */
    int32_t y; /* DIVISION: divisor; DIVIDE: left shift of its dividends */
} Event;

/* Operands of one lane of a vector division. */
typedef struct Pair {
    int32_t x; /* dividend */
    int32_t y; /* divisor */
} Pair;

/* Additional cycles and retries of a priced machine up to a mark. */
typedef struct MarkTime {
    int64_t cycle; /* issue cycle of the marked instruction */
    int64_t retries;
    int64_t wait_lsu; /* cycles */
    int64_t wait_vcu;
    int64_t division; /* cycles of scalar divisions beyond their static ones */
} MarkTime;

/* A path that is recorded or priced. Python owns the arrays. */
typedef struct Path {
    Event *events;
    int64_t event_rows; /* room */
    int64_t event_count;
    Pair *pairs;
    int64_t pair_rows; /* room */
    int64_t pair_count;
    int64_t marks; /* so far */
    uint8_t *regions; /* by word: 1 = a region starts or ends here */
    int64_t delay_slots; /* rotations by which every event is delayed */
    int64_t armed; /* the next load or store is the first after a transfer */
    int64_t at_mark; /* Python has seen the mark; its instruction is to be recorded itself */
    int64_t mark_cycle; /* issue cycle of the last marked instruction of a region */
    int64_t unseen; /* it has not issued yet */
    int64_t refusal; /* REFUSED_* */
    int32_t *lane_cycles; /* pricing: of each pair */
    MarkTime *times; /* pricing: by mark */
    int64_t held_sum; /* pricing: a sum waited for a transfer, and its value depends on the wait */
} Path;
