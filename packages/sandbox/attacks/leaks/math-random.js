/**
 * Looks for the same random numbers in each run.
 *
 * Holds: each run has a seed of its own, which nobody can guess.
 *
 * @ends completed
 * @log true
 */
$.log(Math.random() !== Math.random())
