// Sines and cosines of 12 angles by rotations of 14 steps, in Q2.29.
static const int angles[14] = {421657428, 248918915, 131521918, 66762579, 33510843, 16771758, 8387925,
                               4194219, 2097141, 1048575, 524288, 262144, 131072, 65536};
static volatile int first = -800000000;
int main(void) {
    int sum = 0;
    for (int k = 0; k < 12; k++) {
        int x = 326016437, y = 0, angle = first + k * 140000000;
        for (int step = 0; step < 14; step++) {
            int dx = y >> step, dy = x >> step;
            if (angle < 0) {
                x += dx;
                y -= dy;
                angle += angles[step];
            } else {
                x -= dx;
                y += dy;
                angle -= angles[step];
            }
        }
        sum += (x >> 20) ^ (y >> 18);
    }
    return sum & 0xff;
}
