/**
 * Ends in a comment, to swallow the end of a wrapper.
 *
 * Holds: a line ends between the body and its end.
 *
 * @ends completed
 * @log whole
 */
$.log('whole') //
