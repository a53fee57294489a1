/**
 * Loops forever.
 *
 * Holds: isolated-vm's timeout ends the script at the deadline.
 *
 * @ends violation execution_time
 */
for (;;);
