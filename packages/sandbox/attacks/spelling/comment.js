/**
 * Names a forbidden identifier only in a comment.
 *
 * Holds: the text check reads comments, too: an attacker would make it confuse comments and code. Without it
 * the comment does nothing.
 *
 * @ends completed
 */
// process
$.log('only a comment')
