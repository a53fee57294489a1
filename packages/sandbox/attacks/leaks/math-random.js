/**
 * Looks for the same random numbers in each run.
 *
 * Holds: nothing is needed here; the sequence goes on, and a strategy may keep numbers in its storage anyway.
 *
 * @ends completed
 * @log true
 */
$.log(Math.random() !== Math.random())
