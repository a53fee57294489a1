/**
 * Decodes forbidden names from percent and `unescape` spellings.
 *
 * Holds: `harden.js`: the names lead to nothing.
 *
 * @ends completed
 * @log undefined undefined undefined
 */
const scope = (function () { return this })() ?? {}
$.log(scope[unescape('pr%6fcess')], scope[decodeURIComponent('req%75ire')], scope[JSON.parse('"glo\\u0062al"')])
