/*
 * Two tasks of FreeRTOS blink every ten ticks, and tell a third over a queue, which prints their
 * names. With COMPUTES a fourth never waits: only ticks take the processor from it. Without it the
 * idle task sleeps. The exit code is the number of ticks.
 */
#include <stdint.h>
#include <stdlib.h>

#include "FreeRTOS.h"
#include "queue.h"
#include "task.h"

#define UART ((volatile uint8_t *)0x10000000u)
#define BEATS 5
#define PERIOD_TICKS 10

extern char freertos_risc_v_trap_handler[];
static QueueHandle_t beats;
static volatile uint32_t turns;

static void put(char c) {
    while (!(UART[5] & 0x20)) {
    }
    UART[0] = (uint8_t)c;
}

static void blink(void *name) {
    TickType_t last = 0; /* when the scheduler starts */
    for (int n = 0; n < BEATS; n++) {
        xTaskDelayUntil(&last, PERIOD_TICKS);
        xQueueSend(beats, name, portMAX_DELAY);
    }
    vTaskDelete(0);
}

static void compute(void *unused) {
    (void)unused;
    for (;;) turns++;
}

static void show(void *unused) {
    (void)unused;
    for (int n = 0; n < 2 * BEATS; n++) {
        char c;
        xQueueReceive(beats, &c, portMAX_DELAY);
        put(c);
    }
    exit((int)xTaskGetTickCount());
}

void vApplicationIdleHook(void) { __asm__ volatile("wfi"); }

void vApplicationStackOverflowHook(TaskHandle_t task, char *name) {
    (void)task;
    (void)name;
    exit(102);
}

int main(void) {
    __asm__ volatile("csrw mtvec, %0" ::"r"(freertos_risc_v_trap_handler));
    beats = xQueueCreate(4, 1);
    xTaskCreate(blink, "a", 200, "a", 2, 0);
    xTaskCreate(blink, "b", 200, "b", 2, 0);
    xTaskCreate(show, "show", 200, 0, 3, 0);
    if (COMPUTES) xTaskCreate(compute, "compute", 200, 0, 1, 0);
    vTaskStartScheduler();
    return 100;
}
