/**
 * Makes a remote server send an answer that would pollute prototypes when it is parsed and merged.
 *
 * Holds: parsing makes own members; prototypes are frozen.
 *
 * @ends completed
 * @log true undefined
 */
const { text } = await $.Http.get('http://a.example/')
const merge = (target, source) => { for (const key of Object.keys(source)) { if (typeof target[key] === 'object') merge(target[key], source[key]); else target[key] = source[key] } return target }
let refused = false
try { merge({}, JSON.parse(text)) } catch { refused = true }
$.log(refused, typeof {}.polluted)
