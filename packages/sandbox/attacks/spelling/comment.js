/**
 * Names a forbidden identifier in nothing but a comment.
 *
 * Holds: the text check reads comments, too: what is a comment is what an attacker would have it confuse. Without it
 * the comment is just that.
 *
 * @ends completed
 */
// process
$.log('only a comment')
