/**
 * Leaves a text in the last match, which regular expressions of a realm share.
 *
 * Holds: `harden.js` deletes the statics that tell it.
 *
 * @ends completed
 * @log none
 */
const statics = ['$1', '$_', '$&', '$+', '$`', "$'", 'input', 'lastMatch', 'lastParen', 'leftContext', 'rightContext']
for (const name of statics) if (RegExp[name]) $.log('ESCAPED', name)
void /(left)over/.exec('leftover')
for (const name of statics) if (RegExp[name]) $.log('ESCAPED', name)
$.log('none')
